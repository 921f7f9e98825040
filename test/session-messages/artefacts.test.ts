import { selectMessages } from '../../src/session-exports/queries.js'
import { selectChanges } from '../../src/session-messages/stream/open-sessions/queries.js'
import { openDecisions, said, storyWith } from '../helpers/decisions.js'
import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { newSessionRow } from '../helpers/stream-readers.js'

const service = await startService(t)
const { call, db, url } = service
const { admin, ben, list, playOf, change } = await openDecisions(service)

const printout = { title: 'Printout of cell 7', text: 'Peak: 10.8 degrees\nAlarm: none' }

t.test('A message shows its artefact', async (t) => {
  const story = (character_id: string) => [
    ...storyWith()(character_id),
    said(0, 'Here is the printout.', { artefact: printout }),
  ]
  const session = await playOf(story)

  t.test('in the list and in the stream, to trainers and participants', async (t) => {
    for (const reader of [ben, admin]) {
      const messages = await list(reader, session)
      const shown = messages.filter(({ artefact }) => artefact)
      t.match(shown, [{ content: 'Here is the printout.', artefact: printout }])
      t.equal(messages[0]?.artefact, null)
      const stream = await openEvents(url, reader, session._id)
      await stream.waitForMessages(messages.length)
      t.strictSame(stream.messages(), messages)
      await stream.leave()
    }
  })

  t.test('in the export', async (t) => {
    await change('endSession', admin, session)
    const { body } = await call('exportSession', { token: admin.token, ...session, query: {} })
    const records = body
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line))
    const shown = records.filter(({ artefact }: { artefact?: object }) => artefact)
    t.match(shown, [{ record: 'message', artefact: printout }])
  })
})

t.test('Long documents end a page early', async (t) => {
  const text = '€'.repeat(4000)
  const story = (character_id: string) => [
    ...storyWith()(character_id),
    ...Array.from({ length: 50 }, (_, i) =>
      said(0, `Document ${i}.`, { artefact: { title: 'Report', text } }),
    ),
  ]
  const session = await playOf(story)
  const query = { limit: '500' }
  const { body, headers } = await call('listSessionMessages', {
    token: ben.token,
    ...session,
    query,
  })
  t.ok(body.length >= 20 && body.length <= 25, `${body.length} messages`)
  t.match(headers.get('link'), 'cursor=')
  const { organization_id } = admin
  const { session_id } = session.params
  const all = { organization_id, session_id, after: 0, to: 1_000 }
  t.ok((await selectMessages(db, all)).length < 50, 'of the export')
  const news = await selectChanges(db, [{ ...newSessionRow(organization_id, session_id), head: 0 }])
  t.equal(news.get(session_id)?.length, 1, 'of the stream')
})

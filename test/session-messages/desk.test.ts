import { createId } from '../../src/formats/identifiers.js'
import { openDesk } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { openStage, type Play } from '../helpers/stage.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { app, call, db, url, addMember } = service

t.test('streamEvents', async (t) => {
  t.test('sends each running and paused session, and then their changes', async (t) => {
    const { admin, ben, draft, play, post, change } = await openStage(service)
    const [running, paused] = [await play(), await play()]
    await change('pauseSession', admin, paused)
    await post(ben, running)
    const { _id: waiting } = await draft()
    const ended = await play()
    await change('endSession', admin, ended)

    const stream = await openDesk(url, admin)
    t.match(Object.fromEntries(stream.response.headers), {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    })
    await stream.waitForSession(running._id, { status: 'running', messages: 1 })
    await stream.waitForSession(paused._id, { status: 'paused', messages: 0 })
    t.equal(stream.events.length, 2, 'no scheduled and no ended session')

    await post(ben, running)
    await stream.waitForMessages(1)
    t.match(stream.events[2], { id: null, data: { session_id: running._id, seq: 2 } })
    const { body } = await call('listSessionMessages', { token: admin.token, ...running })
    t.strictSame(stream.messages(), body.slice(1), 'a message is the same as in the listing')

    await change('resumeSession', admin, paused)
    await stream.waitForSession(paused._id, { status: 'running' })
    await change('startSession', admin, { _id: waiting })
    await stream.waitForSession(waiting, { status: 'running', messages: 0 })
    await change('endSession', admin, running)
    await stream.waitForSession(running._id, { status: 'completed', messages: 2 })
    await stream.leave()
    await until(() => app.sessionStreams.size === 0)
  })

  t.test('sends the messages of 24 concurrent sessions to each reader', async (t) => {
    const { organization_id, admin, ben, cleo, play, post } = await openStage(service)
    const sessions: Awaited<ReturnType<typeof play>>[] = []
    while (sessions.length < 24) sessions.push(await play())
    /** Repeats the request, as clients do, if a machine with much other work answers 503. */
    const postSurely = (author: Member, session: Play) => {
      const fields = { client_message_id: createId() }
      return until(async () => (await post(author, session, fields)).status < 300)
    }
    const readers = [admin, await addMember(organization_id, 'hr'), admin]
    const streams = await Promise.all(readers.map((reader) => openDesk(url, reader)))
    for (const stream of streams) await until(() => stream.named('session').length === 24)
    for (let i = 0; i < 5; i++) {
      await Promise.all(sessions.flatMap((one) => [postSurely(ben, one), postSurely(cleo, one)]))
    }
    const all = Array.from({ length: 10 }, (_, i) => i + 1)
    for (const stream of streams) {
      await stream.waitForMessages(240)
      for (const { _id } of sessions) {
        const own = stream.messages().filter(({ session_id }) => session_id === _id)
        t.strictSame(
          own.map(({ seq }) => seq),
          all,
        )
      }
      t.equal(stream.named('session').length, 24, 'messages change no state')
      await stream.leave()
    }
  })

  t.test('shows a returning reader in `messages` which sessions have new ones', async (t) => {
    const { admin, ben, play, post } = await openStage(service)
    const { token } = admin
    const [quiet, busy] = [await play(), await play()]
    for (const session of [quiet, busy]) await post(ben, session)
    const first = await openDesk(url, admin)
    await until(() => first.named('session').length === 2)
    for (let i = 0; i < 3; i++) await post(ben, busy)
    await first.waitForMessages(3)
    await first.leave()
    for (let i = 0; i < 4; i++) await post(ben, busy)

    const known = new Map([[quiet._id, 1]])
    for (const { session_id, seq } of first.messages()) known.set(session_id, seq)
    const again = await openDesk(url, admin)
    await until(() => again.named('session').length === 2)
    const lacking = again
      .named('session')
      .filter(({ session_id, messages }) => messages > (known.get(session_id) ?? 0))
    t.strictSame(
      lacking.map(({ session_id }) => session_id),
      [busy._id],
    )
    const query = { after: String(known.get(busy._id)) }
    const { body } = await call('listSessionMessages', { token, ...busy, query })
    t.strictSame(
      body.map(({ seq }: { seq: number }) => seq),
      [5, 6, 7, 8],
    )
    await again.leave()
  })

  t.test('is limited to one organization, for a super_admin to the named one', async (t) => {
    const ours = await openStage(service)
    const theirs = await openStage(service)
    const [own, foreign] = [await ours.play(), await theirs.play()]
    const { organization_id } = theirs.admin
    const chief = await addMember(ours.organization_id, 'super_admin')
    const streams = await Promise.all([openDesk(url, ours.admin), openDesk(url, chief)])
    const named = await openDesk(url, chief, `?organization_id=${organization_id}`)
    for (let i = 0; i < 3; i++) {
      await theirs.post(theirs.ben, foreign)
      await ours.post(ours.ben, own)
    }
    await theirs.change('endSession', theirs.admin, foreign)
    await ours.change('endSession', ours.admin, own)
    const ids = (stream: (typeof streams)[number]) => [
      ...new Set(stream.events.map(({ data }) => data.session_id)),
    ]
    for (const stream of streams) {
      await stream.waitForSession(own._id, { status: 'completed', messages: 3 })
      t.strictSame(ids(stream), [own._id])
    }
    await named.waitForSession(foreign._id, { status: 'completed', messages: 3 })
    t.strictSame(ids(named), [foreign._id])
    for (const stream of [...streams, named]) await stream.leave()
  })

  t.test('ends for a user who is no longer a trainer', async (t) => {
    const { organization_id, admin, play } = await openStage(service)
    const { _id } = await play()
    const hr = await addMember(organization_id, 'hr')
    const [lost, kept] = [await openDesk(url, hr), await openDesk(url, admin)]
    await Promise.all(
      [lost, kept].map((stream) => stream.waitForSession(_id, { status: 'running' })),
    )
    const demoted = db.updateTable('users').where('_id', '=', hr.user_id)
    await demoted.set({ role: 'employee' }).execute()
    await lost.waitForEnd()
    t.match(lost.events.at(-1), { event: 'end', data: { reason: 'access_ended' } })
    t.notOk(kept.isOver())
    await kept.leave()
  })
})

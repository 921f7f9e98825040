import { openDecisions } from '../helpers/decisions.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const service = await startService(t)
const { call } = service
const { admin, ben, play, decide, change, pass, waitForTexts } = await openDecisions(service)

async function exportAs(session_id: string, format: string): Promise<string> {
  const query = { format }
  const { body } = await call('exportSession', {
    token: admin.token,
    params: { session_id },
    query,
  })
  return typeof body === 'string' ? body : JSON.stringify(body)
}

t.test('Exports contain the decisions, with pseudonyms', async (t) => {
  const session = await play()
  await decide(ben, session, 'recall', { option: 'all', reason: 'It was warm.' })
  await pass(session, 25)
  await waitForTexts(session, 8)
  await change('endSession', admin, session)

  const lines = (await exportAs(session._id, 'ndjson')).trim().split('\n')
  const records = lines.map((line) => JSON.parse(line))
  const [recall, telling] = records.filter(({ record }) => record === 'decision')
  t.match(recall, {
    beat: 'recall',
    status: 'decided',
    option: 'all',
    option_label: 'Recall it all.',
    reason: 'It was warm.',
    pseudonym: /^p-/,
  })
  t.match(telling, { beat: 'telling', status: 'lapsed', option: 'customers', pseudonym: null })
  t.notMatch(lines.join(), ben.user_id, 'the export contains no user id')
  t.match(await exportAs(session._id, 'csv'), /"decision",.*"recall".*"Recall it all\."/)

  const statements = JSON.parse(await exportAs(session._id, 'xapi'))
  const [answered] = statements.filter((one: { verb: { id: string } }) =>
    one.verb.id.endsWith('/answered'),
  )
  t.match(answered, {
    actor: { account: { name: /^p-/ } },
    object: {
      definition: {
        type: 'http://adlnet.gov/expapi/activities/cmi.interaction',
        interactionType: 'choice',
        choices: [{ id: 'all' }, { id: 'wait' }],
      },
    },
    result: { response: 'all' },
  })
  const endings = statements.flatMap((one: { result: { extensions?: object } }) =>
    Object.values(one.result.extensions ?? {}),
  )
  t.strictSame(endings, [
    { beat: 'recall', status: 'decided', option: 'all', on_behalf: false, reason: 'It was warm.' },
    { beat: 'telling', status: 'lapsed', option: 'customers', on_behalf: false, reason: null },
  ])
})

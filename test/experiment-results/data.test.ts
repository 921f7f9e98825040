import type { Schema } from '../../src/contract.js'
import { byteOrderMark, bytesAt } from '../helpers/bytes.js'
import { bareScenario } from '../helpers/ended-sessions.js'
import { byName, openLab } from '../helpers/experiments.js'
import { t } from '../helpers/file.js'
import { auditEvents, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'

const service = await startService(t)
const { call, registerAdmin } = service
const admin = await registerAdmin()
const { token, user_id } = admin
const { draft, update, register, results, conclude, data, played, run } = openLab(service, admin)

const rubric = [
  { criterion: '=1+1', question: ' =HYPERLINK("x")', scale: { type: 'ordinal', min: -2, max: 2 } },
]
const scenario = { ...bareScenario, rubric }
const rated = (value: number) => ({
  scenario,
  ratings: [{ rater_id: user_id, criterion: '=1+1', value }],
})

/** A concluded experiment with one session in each arm, one of which has been rated. */
async function concluded() {
  const _id = await draft()
  await register(_id, { primary_outcome: 'rubric:=1+1', direction: 'decrease' })
  const { control_session_ids, intervention_session_ids } = await run(_id, {
    control: [{ ...rated(-2), joined: [user_id] }],
    intervention: [{ scenario }],
  })
  await conclude(_id)
  return { _id, ids: [...control_session_ids, ...intervention_session_ids] }
}

const experiments = '/api/v1/admin/simulation/team-drills/experiments'
const linesOf = (text: string) => text.split('\n').slice(0, -1)

t.test('concludeExperiment counts the sessions in blocks with only one arm', async (t) => {
  const _id = await draft()
  await register(_id)
  const wrote = { joined: [user_id], lines: [] }
  const inControl = await played(_id, 'control', [wrote, wrote])
  const inIntervention = await played(_id, 'intervention', [wrote, wrote, wrote, wrote])
  const [one = '', two = '', ...alone] = inIntervention
  const session_ids = [...inControl, ...inIntervention]
  const blocks = [
    { name: 'early shift', session_ids: [...inControl, one, two] },
    { name: 'late shift', session_ids: alone },
  ]
  const params = { experiment_id: _id }
  await call('assignSessions', { token, params, body: { session_ids, seed: 'life', blocks } })
  await update(_id, { status: 'running' })
  const { status, body } = await conclude(_id)
  t.equal(status, 200)
  const { control, intervention } = byName(body).messages_per_participant ?? {}
  t.strictSame([control?.n, intervention?.n], [2, 4])
  t.match(
    body.warnings.filter(({ field }: { field: string }) => field === 'messages_per_participant'),
    [{ value: '2', message: /one arm only/ }],
  )
})

t.test('concludeExperiment speaks of no block where there is none', async (t) => {
  const _id = await draft()
  await register(_id)
  const nobody = { joined: [], lines: [] }
  await run(_id, { control: [nobody], intervention: [{ joined: [user_id], lines: [] }] })
  const { body } = await conclude(_id)
  const about = body.warnings.filter(({ field }: { field: string }) => /^messages/.test(field))
  t.match(about, [
    { message: 'Left out, without a value: 1 session' },
    { message: 'Not compared, because the other arm has no value: 1 session' },
  ])
})

t.test('exportExperimentData', async (t) => {
  t.test('is refused before the conclusion', async (t) => {
    const _id = await draft()
    for (const part of ['rows', 'codebook']) {
      t.match(await data(_id, { part }), { status: 409, body: { code: 'not_concluded' } }, part)
    }
  })

  t.test('writes a row for each session and outcome as CSV', async (t) => {
    const { _id, ids } = await concluded()
    const { status, headers, body } = await data(_id)
    t.equal(status, 200)
    t.match(headers.get('content-type'), /^text\/csv/)
    t.match(headers.get('content-disposition'), `filename="experiment-${_id}-rows.csv"`)
    t.strictSame(linesOf(body), [
      '"session_id","arm","block","outcome","value"',
      `"${ids[0]}","control",,"rubric:=1+1",-2`,
      `"${ids[1]}","intervention",,"rubric:=1+1",`,
      `"${ids[0]}","control",,"messages_per_participant",0`,
      `"${ids[1]}","intervention",,"messages_per_participant",`,
    ])
  })

  t.test('begins CSV with a byte order mark on request', async (t) => {
    const { _id } = await concluded()
    const fileAs = (query: string) =>
      bytesAt(`${service.url}${experiments}/${_id}/data?${query}`, admin)
    for (const part of ['rows', 'codebook']) {
      const plain = await fileAs(`part=${part}`)
      t.equal(plain[0], 0x22)
      const marked = await fileAs(`part=${part}&bom=true`)
      t.strictSame(marked, Buffer.concat([byteOrderMark, plain]))
    }
    t.equal((await fileAs('format=ndjson&bom=true'))[0], 0x7b)
  })

  t.test('writes the same as NDJSON', async (t) => {
    const { _id, ids } = await concluded()
    const { headers, body } = await data(_id, { format: 'ndjson' })
    t.match(headers.get('content-type'), /^application\/x-ndjson/)
    t.match(headers.get('content-disposition'), `filename="experiment-${_id}-rows.ndjson"`)
    const rows = linesOf(body).map((line) => JSON.parse(line))
    const [session_id] = ids
    const row = { session_id, arm: 'control', block: null, outcome: 'rubric:=1+1', value: -2 }
    t.equal(rows.length, 4)
    t.strictSame(rows[0], row)
    t.equal(rows[3].value, null)
  })

  t.test('explains each outcome in text that no spreadsheet runs as a formula', async (t) => {
    const { _id } = await concluded()
    const { headers, body } = await data(_id, { part: 'codebook' })
    t.match(headers.get('content-disposition'), `filename="experiment-${_id}-codebook.csv"`)
    const [header, first, second] = linesOf(body)
    t.equal(header, '"outcome","label","unit","definition","source","role","direction"')
    t.match(
      first,
      /^"rubric:=1\+1","' =HYPERLINK\(""x""\)","points from -2 to 2","The mean over .*","primary","decrease"$/,
    )
    t.match(second, /^"messages_per_participant",.*,"messages",.*,"exploratory",$/)
  })

  t.test('contains the data from which the results were computed', async (t) => {
    const { _id, ids } = await concluded()
    const { body } = await data(_id)
    const { db } = service
    await db.deleteFrom('session_ratings').where('session_id', 'in', ids).execute()
    await update(_id, { control_session_ids: [] })
    t.equal((await data(_id)).body, body)
  })

  t.test('records an event with the format and the part', async (t) => {
    const { _id } = await concluded()
    await data(_id, { format: 'ndjson', part: 'codebook' })
    const [event] = await auditEvents(call, admin, { event_type: 'experiment_data_exported' })
    const metadata = { experiment_id: _id, format: 'ndjson', part: 'codebook' }
    t.strictSame(event?.metadata, metadata)
  })
})

t.test('concludeExperiment', async (t) => {
  t.test('is the last step of an experiment that started as a draft', async (t) => {
    const { addScenario, create, change, messages } = sessionsOf(service)
    const metadata = { drill_minute: 0, expectation: { act: 'answer', deadline_minutes: 5 } }
    const { scenario_name } = await addScenario(admin, [{ content: 'Who answers?', metadata }])
    const participants = [{ user_id }]
    const sessions = await Promise.all(
      [1, 2, 3, 4].map(() => create(admin, { scenario_name, participants })),
    )
    const answer = async (session: Schema<'SimulationSession'>) => {
      const params = { session_id: session._id }
      await call('joinSession', { token, params, body: { consent: true } })
      const [line] = await messages(session)
      const message = { content: 'I do.', client_message_id: 'once', thread_id: line?._id }
      const body = { ...message, conversation_id: line?.conversation_id }
      t.equal((await call('postSessionMessage', { token, params, body })).status, 201)
    }
    const session_ids = sessions.map(({ _id }) => _id)
    const experiment_id = await draft()
    const params = { experiment_id }
    const blocks = [{ name: 'early shift', session_ids: session_ids.slice(0, 2) }]
    await call('assignSessions', { token, params, body: { session_ids, seed: 'life', blocks } })
    const planned = { primary_outcome: 'expectations_met', direction: 'increase' }
    t.equal((await register(experiment_id, planned)).status, 200)
    const { body: running } = await update(experiment_id, { status: 'running' })
    t.equal((await conclude(experiment_id)).status, 409, 'no session has started')

    for (const { _id } of sessions) {
      const started = await change('startSession', admin, { _id })
      if (running.intervention_session_ids.includes(_id)) await answer(started)
    }
    const { body: midway } = await results(experiment_id)
    t.match(midway.sessions, { control: { running: 2 }, intervention: { running: 2 } })
    for (const session of sessions) await change('endSession', admin, session)
    const { status, body } = await conclude(experiment_id)
    t.equal(status, 200)
    t.match(byName(body).expectations_met, {
      control: { n: 2, mean: 0, sd: 0 },
      intervention: { n: 2, mean: 1, sd: 0 },
      difference: 1,
      // Each of the two blocks can be filled in two ways.
      p: 0.5,
      allocations: 4,
    })
    const file = await data(experiment_id, { format: 'ndjson' })
    const rows = linesOf(file.body).map((line) => JSON.parse(line))
    const inControl = rows.filter(({ arm, outcome }) => {
      return arm === 'control' && outcome === 'expectations_met'
    })
    t.strictSame(
      inControl.map(({ session_id }) => session_id).toSorted(),
      running.control_session_ids.toSorted(),
    )
    const early = rows.filter(({ block }) => block === 'early shift')
    t.strictSame(
      [...new Set(early.map(({ session_id }) => session_id))].toSorted(),
      session_ids.slice(0, 2).toSorted(),
    )
  })
})

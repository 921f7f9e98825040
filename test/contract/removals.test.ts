import type { OperationId } from '../../src/contract.js'
import { operationOf } from '../helpers/contract.js'
import { t } from '../helpers/file.js'
import { freeKey, removalsOf, updates } from '../helpers/removals.js'
import { auditEvents, startService } from '../helpers/service.js'
import { operations } from '../helpers/walk.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call } = service
const { admin, organization_id, ben, cast_ids, session, join } = await openWorkplace(service)
const { token } = admin

t.test('The contract says how to remove each value that an update can set', async (t) => {
  const found = updates.flatMap((operation) =>
    removalsOf(operation).map(({ field, body }) => [operation.operationId, field.join(), body]),
  )
  t.strictSame(
    found.filter(([, , body]) => body === undefined),
    [],
  )
  // What the walk must find at least.
  for (const wanted of [
    ['updateSession', 'starts_at', { clear: ['starts_at'] }],
    ['updateUser', 'career_goals,department', { career_goals: { department: '' } }],
    ['updateBranding', 'departments', { departments: [] }],
    ['registerAnalysisPlan', 'smallest_effect', {}],
  ])
    t.ok(
      found.some((one) => JSON.stringify(one) === JSON.stringify(wanted)),
      `${wanted}`,
    )
})

type Params = Record<string, string>

interface Target {
  params: Params
  /** A request that sets every value that can be removed. */
  body: Record<string, unknown>
  /** What a request needs in any case. */
  needed?: object
  token?: string
  /** Where the changes in the event have the values. Null if the event only names what changed. */
  recordedIn?: string[] | null
  /** Reads the values back, if the path has no GET that does. */
  read?: () => Promise<unknown>
}

const metadata = { [freeKey]: 'value' }
const people = [{ user_id: ben.user_id, role_key: 'case_handler' }]

async function newExperiment(): Promise<Params> {
  const { body } = await call('createExperiment', { token, body: { name: 'Lab' } })
  return { experiment_id: body._id }
}

/** Something to update, by operation. */
const targets: Partial<Record<OperationId, () => Promise<Target>>> = {
  updateUser: async () => ({
    params: { user_id: ben.user_id },
    body: {
      full_name: 'Ben',
      avatar_url: 'https://acme.example/ben.png',
      bio: 'A bio',
      education: [{ degree: 'BSc' }],
      certifications: [{ name: 'First aid' }],
      hobbies: ['chess'],
      career_goals: {
        ...{ dream_job: 'lead', experience_level: 'new', career_goal: 'grow' },
        ...{ current_role: 'clerk', department: 'Pay' },
      },
      metadata,
    },
  }),
  updateBranding: async () => ({
    params: { organization_id },
    body: {
      company_name: 'Acme',
      logo_url: 'https://acme.example/logo.png',
      ...{ primary_color: '#123', sidebar_color: '#456', welcome_message: 'Hello' },
      departments: ['Pay'],
    },
  }),
  updateExperiment: async () => ({
    params: await newExperiment(),
    body: {
      ...{ name: 'Lab', hypothesis: 'It helps', metadata },
      ...{ start_at: '2999-01-01T00:00:00.000Z', end_at: '2999-01-02T00:00:00.000Z' },
      ...{ control_session_ids: ['a'], intervention_session_ids: ['b'], assignment_ids: ['c'] },
    },
  }),
  updateSession: async () => {
    const rater = await service.addMember(organization_id, 'executive')
    return {
      params: { session_id: await session() },
      body: {
        ...{ starts_at: '2999-01-01T00:00:00.000Z', ends_after_minutes: 5 },
        ...{ rater_ids: [rater.user_id], metadata },
      },
    }
  },
  updateChannelTemplate: newTemplate,
  replaceChannelTemplate: async () => ({
    ...(await newTemplate()),
    needed: { channel_name: 'lobby' },
  }),
  addParticipant: async () => {
    const session_id = await session({ participants: people })
    return {
      params: { session_id, user_id: ben.user_id },
      body: { role_key: 'case_handler' },
      recordedIn: null,
      read: async () => {
        const { body } = await call('listParticipants', { token, params: { session_id } })
        return body[0]
      },
    }
  },
  registerAnalysisPlan: async () => {
    const params = await newExperiment()
    return {
      params,
      body: {
        smallest_effect: 0.1,
        guardrails: [{ outcome: 'expectations_met', direction: 'increase' }],
      },
      needed: { primary_outcome: 'answered_share', direction: 'increase' },
      recordedIn: ['analysis_plan'],
      read: async () => (await call('getExperimentResults', { token, params })).body.plan,
    }
  },
  rateSession: async () => ({
    params: { session_id: await session({}, 'startSession') },
    body: { ratings: [{ criterion: 'Tell those affected', value: 4 }] },
    needed: { ratings: [] },
    recordedIn: null,
  }),
  rateOneself: async () => {
    const session_id = await session({ participants: people }, 'startSession')
    await join(ben, session_id)
    const values = [{ criterion: 'Describe instead of labelling', value: 3 }]
    return {
      params: { session_id },
      body: { comment: 'I began with a label.', values },
      needed: { values: [] },
      token: ben.token,
      recordedIn: null,
    }
  },
}

async function newTemplate(): Promise<Target> {
  const body = { channel_name: 'lobby', scenario_name: `removals-${crypto.randomUUID()}` }
  const created = await call('createChannelTemplate', { token, body })
  const message = { sender_character_id: cast_ids[0], content: 'Hello' }
  return { params: { template_id: created.body._id }, body: { message_templates: [message] } }
}

const valueAt = (value: unknown, field: string[]) =>
  field.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | null)?.[name], value)
const isMissing = (value: unknown) =>
  (value ?? null) === null || (Array.isArray(value) && value.length === 0)

t.test('A caller can remove each of them', async (t) => {
  for (const { operationId, path } of updates) {
    const reading = operations.find((one) => one.path === path && one.method === 'GET')
    for (const { field, body: removing } of removalsOf(operationOf(operationId))) {
      t.test(`${operationId} ${field.join('.')}`, async (t) => {
        const target = await targets[operationId]?.()
        if (!target || !removing) throw new Error('The test has nothing to remove it from')
        const { params, needed, body, token = admin.token, recordedIn = [] } = target
        const read =
          target.read ??
          (async () => reading && (await call(reading.operationId, { token, params })).body)
        const given = await call(operationId, { token, params, body: { ...needed, ...body } })
        t.equal(given.status, 200, JSON.stringify(given.body))
        t.notOk(isMissing(valueAt(await read(), field)), 'is there before')

        const answer = await call(operationId, { token, params, body: { ...needed, ...removing } })
        t.equal(answer.status, 200, JSON.stringify(answer.body))
        t.ok(isMissing(valueAt(answer.body, field)), 'is missing in the answer')
        t.ok(isMissing(valueAt(await read(), field)), 'is missing when it is read')

        const request_id = answer.headers.get('x-request-id')
        const events = await auditEvents(call, admin)
        const own = events.filter((one) => one.request_id === request_id)
        t.ok(own.length > 0, 'is recorded')
        const changes = own.flatMap((one) => Object.entries(one.metadata?.changes ?? {}))
        if (recordedIn === null) return
        const [name = '', ...inner] = [...recordedIn, ...field]
        const change = new Map(changes).get(name)
        t.notOk(isMissing(valueAt(change, ['from', ...inner])), 'was there in the event')
        t.ok(change && isMissing(valueAt(change, ['to', ...inner])), 'is missing in the event')
      })
    }
  }
})

import { createId } from '../../src/formats/identifiers.js'
import { bareScenario, type Play } from '../helpers/ended-sessions.js'
import { openLab } from '../helpers/experiments.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const service = await startService(t)
const { call, registerAdmin } = service
const admin = await registerAdmin()
const { token, user_id } = admin
const { draft, update, register, results, run } = openLab(service, admin)

/** A session in which one person wrote `count` messages. */
const wrote = (count: number, rest: Play = {}): Play => ({
  joined: [user_id],
  lines: Array.from({ length: count }, (_, minute) => ({ by: 'participant', minute })),
  ...rest,
})

const none = { assigned: 0, unknown: 0, not_started: 0, running: 0, completed: 0, cancelled: 0 }

t.test('getExperimentResults', async (t) => {
  t.test('counts the sessions of each arm by progress', async (t) => {
    const _id = await draft()
    const { control_session_ids } = await run(_id, {
      control: ['draft', 'scheduled', 'running', 'paused', 'completed', 'cancelled'].map(
        (status) => ({ status }) as Play,
      ),
      intervention: [],
    })
    await update(_id, { intervention_session_ids: ['s1', createId(), user_id.toUpperCase()] })
    const { status, body } = await results(_id)
    t.equal(status, 200)
    t.strictSame(body.sessions, {
      control: { assigned: 6, unknown: 0, not_started: 2, running: 2, completed: 1, cancelled: 1 },
      intervention: { ...none, assigned: 3, unknown: 3 },
    })
    t.strictSame(
      body.warnings.map(({ field, value }: { field: string; value: string }) => [field, value]),
      [
        ['analysis_plan', null],
        ['control_session_ids', control_session_ids[5]],
        ['intervention_session_ids', '3'],
      ],
    )
  })

  t.test('shows no outcome before the conclusion', async (t) => {
    const _id = await draft()
    await register(_id)
    const rubric = [{ criterion: 'Clear', question: 'Is it?', scale: { type: 'ordinal' } }]
    const scenario = { ...bareScenario, rubric }
    const ratings = [{ rater_id: user_id, criterion: 'Clear', value: 4 }]
    const play = wrote(7, { scenario, ratings })
    await run(_id, { control: [play, play], intervention: [play, play] })
    const { body } = await results(_id)
    t.match(body, { outcomes: null, agreement: null, conclusion: null })
    t.match(body.sessions.control, { assigned: 2, completed: 2 })
    const params = { experiment_id: _id }
    for (const operation of ['getExperiment', 'getExperimentReadiness'] as const) {
      const answer = JSON.stringify((await call(operation, { token, params })).body)
      t.notMatch(answer, /answered_share|rubric:|"mean"|"conclusion"/, operation)
    }
    const { status } = await call('exportExperimentData', { token, params })
    t.equal(status, 409)
  })

  t.test('lists the deviations of sessions in order of time', async (t) => {
    const _id = await draft()
    const at = (time: string) => ({
      deviations: [{ deviation: 'clock_shifted', at: `2026-11-23T${time}.000Z`, shift_ms: 90_000 }],
    })
    const { control_session_ids, intervention_session_ids } = await run(_id, {
      control: [at('10:00:00'), {}],
      intervention: [at('09:30:00')],
    })
    const { body } = await results(_id)
    t.strictSame(
      body.deviations.map(({ session_id }: { session_id: string }) => session_id),
      [intervention_session_ids[0], control_session_ids[0]],
    )
  })
})

import { jsonb } from '../../src/database/expressions.js'
import type { FrozenScenario } from '../../src/database/tables/frozen-scenario.js'
import { createId } from '../../src/formats/identifiers.js'
import { bareScenario } from '../helpers/ended-sessions.js'
import { byName, openLab, plan } from '../helpers/experiments.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const service = await startService(t)
const { db, registerAdmin } = service
const admin = await registerAdmin()
const { organization_id } = admin
const { draft, register, run, conclude, data } = openLab(service, admin)
const minuteMs = 60_000

const options = ['all', 'wait'].map((option) => ({ option, label: `${option}.`, cost: 'Time.' }))
const repair = { beat: 'repair', question: 'How?', deadline_minutes: 5, fallback: 'Then so.' }
const scenario: FrozenScenario = {
  ...bareScenario,
  decision_points: [{ ...repair, options, decided_by: [], fallback_option: 'wait' }],
}

/** Stores that a session asked for the decision, and how it ended. */
async function ended(session_id: string, status: 'decided' | 'lapsed', option: string | null) {
  const at = new Date().toISOString()
  await db
    .insertInto('session_decisions')
    .values({
      organization_id,
      session_id,
      beat: 'repair',
      message_id: createId(),
      conversation_id: createId(),
      question: 'How?',
      options: jsonb(options),
      decided_by: [],
      fallback_option: 'wait',
      asked_at: at,
      asked_offset_ms: 10 * minuteMs,
      deadline_offset_ms: 15 * minuteMs,
      status,
      option,
      ended_at: at,
      ended_offset_ms: 13 * minuteMs,
    })
    .execute()
}

t.test('Decisions are outcomes of an experiment, and stand in its data and codebook', async (t) => {
  const _id = await draft()
  await register(_id, { ...plan, primary_outcome: 'option:repair:all', direction: 'any' })
  const arms = await run(_id, {
    control: [{ scenario }, { scenario }],
    intervention: [{ scenario }, { scenario }],
  })
  const [one = '', two = ''] = arms.control_session_ids
  const [three = '', four = ''] = arms.intervention_session_ids
  await ended(one, 'decided', 'all')
  await ended(two, 'lapsed', 'wait')
  await ended(three, 'lapsed', 'wait')
  await ended(four, 'lapsed', null)
  const { body } = await conclude(_id)
  const outcomes = byName(body)
  t.match(outcomes['option:repair:all'], {
    role: 'primary',
    label: 'How? all.',
    control: { n: 2, mean: 0.5 },
    intervention: { n: 1, mean: 0 },
  })
  t.match(outcomes['option:repair:wait'], { control: { mean: 0.5 }, intervention: { mean: 1 } })
  t.match(outcomes.decisions_made, { control: { mean: 0.5 }, intervention: { n: 2, mean: 0 } })
  t.match(outcomes.decision_minutes, { control: { n: 1, mean: 3 }, intervention: { n: 0 } })
  t.match((await data(_id)).body, new RegExp(`"${one}","control",[^\\n]*"option:repair:all",1`))
  t.match((await data(_id, { part: 'codebook' })).body, /"decision_minutes","median minutes/)
})

t.test('A scenario from before decisions were kept has labels for its options', async (t) => {
  const _id = await draft()
  await register(_id, { ...plan, primary_outcome: 'option:repair:By hand', direction: 'any' })
  // As it was stored then.
  const old = { ...repair, options: [{ option: 'By hand', cost: 'Time.' }] }
  const before = { ...scenario, decision_points: [old] } as unknown as FrozenScenario
  await run(_id, { control: [{ scenario: before }], intervention: [{ scenario: before }] })
  const { body } = await conclude(_id)
  t.match(byName(body)['option:repair:By hand'], { label: 'How? By hand', control: { n: 0 } })
})

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

/** Inserts a decision of a session, with its end. */
async function insertDecision(
  session_id: string,
  status: 'decided' | 'lapsed',
  option: string | null,
) {
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

t.test('Decisions are outcomes of an experiment, and are in its data and codebook', async (t) => {
  const _id = await draft()
  await register(_id, { ...plan, primary_outcome: 'option:repair:all', direction: 'any' })
  const arms = await run(_id, {
    control: [{ scenario }, { scenario }],
    intervention: [{ scenario }, { scenario }],
  })
  const [one = '', two = ''] = arms.control_session_ids
  const [three = '', four = ''] = arms.intervention_session_ids
  await insertDecision(one, 'decided', 'all')
  await insertDecision(two, 'lapsed', 'wait')
  await insertDecision(three, 'lapsed', 'wait')
  await insertDecision(four, 'lapsed', null)
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

t.test('A scenario of an older version uses its options as their labels', async (t) => {
  const _id = await draft()
  await register(_id, { ...plan, primary_outcome: 'option:repair:By hand', direction: 'any' })
  // Older versions stored options without a label.
  const old = { ...repair, options: [{ option: 'By hand', cost: 'Time.' }] }
  const older = { ...scenario, decision_points: [old] } as unknown as FrozenScenario
  await run(_id, { control: [{ scenario: older }], intervention: [{ scenario: older }] })
  const { body } = await conclude(_id)
  t.match(byName(body)['option:repair:By hand'], { label: 'How? By hand', control: { n: 0 } })
})

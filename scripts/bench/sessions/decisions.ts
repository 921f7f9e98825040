import type pg from 'pg'
import type { PlanLine } from './stage.js'

/** The two options of every decision. */
export const options = ['recall', 'wait'] as const

/** Two options, the second of which counts if people do not decide. */
const asked = {
  question: 'What happens to the food from cell 7?',
  options: options.map((option) => ({ option, label: `We ${option}.`, cost: 'A meal is lost.' })),
  decided_by: [],
}
const [, fallback_option] = options

const onlyIf = (beat: string, option: string) => ({
  only_if: [{ beat, options: [option] }],
  unless: [],
})

/**
 * Gives each session a decision that has ended, and lets a third of the lines depend on it. In every
 * other session these lines are withheld.
 */
export async function addEndedDecisions(client: pg.Client): Promise<void> {
  const beat = 'decision'
  const numbered = `(select *, row_number() over (order by _id) as number from simulation_sessions)`
  await client.query(
    `insert into session_decisions (organization_id, session_id, beat, message_id, conversation_id,
      question, options, decided_by, fallback_option, asked_at, asked_offset_ms, deadline_offset_ms,
      status, option, ended_at, ended_offset_ms)
    select organization_id, _id, $1, gen_random_uuid(),
      (conversations->0->>'conversation_id')::uuid, $2, $3::jsonb, '{}', $5, now(), 0, 0,
      case number % 2 when 0 then 'decided' else 'lapsed' end,
      case number % 2 when 0 then $4 else $5 end, now(), 0
    from ${numbered} as session`,
    [beat, asked.question, JSON.stringify(asked.options), ...options],
  )
  await client.query(
    `update session_plan set conditions = $1::jsonb from ${numbered} as session
    where session_plan.organization_id = session.organization_id and session_id = _id
      and (number + position) % 3 = 0`,
    [JSON.stringify(onlyIf(beat, options[0]))],
  )
}

/** When the decision of a round has its deadline. */
export const deadlineMs = 4_000
const afterwardsMs = deadlineMs + 1_000

/** A round with a decision, one acknowledgement, the fallback, and a line for each option. */
export const roundWithDecision: readonly PlanLine[] = roundOf('decision-{round}')

function roundOf(beat: string): PlanLine[] {
  const expectation = {
    act: 'decide',
    deadline_minutes: deadlineMs / 60_000,
    options: asked.options.map(({ label }) => label),
    decision: { beat, ...asked },
  }
  const [acknowledged] = options
  return [
    { after_ms: 0, beat, expectation, fallback_option },
    {
      after_ms: deadlineMs,
      kind: 'acknowledgement',
      acknowledges: beat,
      conditions: onlyIf(beat, acknowledged),
    },
    { after_ms: deadlineMs, kind: 'fallback', lapses: beat },
    ...options.map((option) => ({ after_ms: afterwardsMs, conditions: onlyIf(beat, option) })),
  ]
}

/** How a decision ended, as the service answers it. */
export interface Ending {
  status: string
  option: string | null
  made_by: string | null
  on_behalf: boolean
}

export interface Decision extends Ending {
  session_id: string
  beat: string
  /** Whether it was asked once and ended once, and its message and its event say the same. */
  isSound: boolean
}

/** Selects all decisions that were asked. */
export async function selectDecisions(client: pg.Client): Promise<Decision[]> {
  const { rows } = await client.query<Decision>(
    `with message as (
      select session_id, decides->>'beat' as beat, count(*) as messages, min(seq) as seq,
        min(decides->>'status') as status, min(decides->>'option') as option
      from session_messages where decides is not null group by 1, 2
    ), event as (
      select case_id, metadata->>'beat' as beat,
        count(*) filter (where event_type = 'decision_asked') as asked,
        count(*) filter (where event_type = 'decision_made') as made,
        count(*) filter (where event_type = 'decision_lapsed') as lapsed
      from audit_events where metadata ? 'beat' group by 1, 2
    )
    select decision.session_id, decision.beat, decision.status, decision.option, made_by, on_behalf,
      coalesce(messages = 1 and seq = ended_seq and message.status = decision.status
        and message.option = decision.option and asked = 1
        and made = (decision.status = 'decided')::integer
        and lapsed = (decision.status = 'lapsed')::integer, false) as "isSound"
    from session_decisions as decision
    left join message on message.session_id = decision.session_id and message.beat = decision.beat
    left join event on case_id = decision.session_id::text and event.beat = decision.beat`,
  )
  return rows
}

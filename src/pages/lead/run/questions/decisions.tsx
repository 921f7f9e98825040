import { useState } from 'preact/hooks'
import type { Schema } from '../../../shared/forms/schema.js'
import { say } from '../../../shared/words/words.js'
import { type DeskRoom, mayInject } from '../desk-room.js'
import { endOf, leftUntil } from '../real-time.js'
import { Decide } from './decide.js'

type Decision = Schema<'SessionDecision'>

/** What the team decides: what is open now, what is to come, and how the others ended. */
export function Decisions({ room }: { room: DeskRoom }) {
  const decisions = room.decisions.value
  if (decisions.length === 0) return null
  const planned = decisions.filter(({ status }) => status === 'planned')
  const asked = decisions.filter(({ status }) => status !== 'planned')
  return (
    <section class="stack tight">
      <h2>{say('lead.decisions')}</h2>
      {asked.length > 0 && <DecisionList decisions={asked} room={room} />}
      {planned.length > 0 && (
        <details class="small">
          <summary>{say('lead.decisionsToCome', { count: planned.length })}</summary>
          <DecisionList decisions={planned} room={room} />
        </details>
      )}
    </section>
  )
}

/** What is open comes first. */
function DecisionList({ decisions, room }: { decisions: readonly Decision[]; room: DeskRoom }) {
  const sorted = [...decisions].sort(
    (a, b) => Number(b.status === 'open') - Number(a.status === 'open'),
  )
  return (
    <ul class="decisions">
      {sorted.map((decision) => (
        <DecisionItem key={decision.beat} decision={decision} room={room} />
      ))}
    </ul>
  )
}

function DecisionItem({ decision, room }: { decision: Decision; room: DeskRoom }) {
  const [isDeciding, setDeciding] = useState(false)
  const { status, question, deadline_at, message_id, deadline_minutes } = decision
  return (
    <li class={`small desk-decision ${status}`}>
      <p class="row between">
        <span class={`chip ${kinds[status]}`}>{say(`lead.decision.${status}`)}</span>
        {status === 'open' && deadline_at === null && (
          <span class="muted">{say('asked.stands_still')}</span>
        )}
        {status === 'open' && deadline_at && (
          <strong class={room.clock.until(deadline_at) < 60_000 ? 'soon' : undefined}>
            {leftUntil(room, deadline_at)}
          </strong>
        )}
      </p>
      {status === 'open' && message_id && (
        <p class="muted">{endOf(room, message_id, deadline_minutes)}</p>
      )}
      <p>
        <strong>{question}</strong>
      </p>
      <p class="muted">{how(decision, room)}</p>
      {status === 'open' && (
        <>
          <p class="muted">{say('lead.decidedBy', { who: decidersOf(decision, room) })}</p>
          {mayInject(room) && (
            <button type="button" class="small" onClick={() => setDeciding(true)}>
              {say('lead.decide')}
            </button>
          )}
        </>
      )}
      {isDeciding && <Decide decision={decision} room={room} onClose={() => setDeciding(false)} />}
    </li>
  )
}

const kinds: Record<Decision['status'], string> = {
  planned: '',
  open: 'accent',
  decided: 'good',
  lapsed: 'warn',
}

/** How a decision ended, or will end if the team lets its deadline pass. */
function how(decision: Decision, room: DeskRoom): string {
  const { status, option, made_by, on_behalf, reason, options, fallback_option } = decision
  const labelOf = (key: string | null) => options.find((one) => one.option === key)?.label ?? '–'
  if (status === 'lapsed' && option === null) return say('decision.never')
  if (status === 'lapsed') return say('lead.tookFallback', { option: labelOf(option) })
  if (status === 'decided') {
    const name = room.people.value.get(made_by ?? '')?.name
    const who = on_behalf ? say('lead.onBehalf') : (name ?? '–')
    const ended = say('lead.decidedFor', { option: labelOf(option), who })
    return reason ? `${ended} ${say('lead.because', { reason })}` : ended
  }
  return fallback_option === null ? '' : say('lead.ifLapses', { option: labelOf(fallback_option) })
}

/** The titles of those who may decide. */
function decidersOf({ decided_by }: Decision, room: DeskRoom): string {
  if (decided_by.length === 0) return say('lead.anyone')
  const roles = room.briefing.value?.facilitator?.roles ?? []
  return decided_by.map((key) => roles.find((one) => one.role_key === key)?.title ?? key).join(', ')
}

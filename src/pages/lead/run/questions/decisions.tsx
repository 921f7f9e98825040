import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Schema } from '../../../shared/forms/schema.js'
import { Story } from '../../../shared/room/story.js'
import { say } from '../../words/words.js'
import { type DeskRoom, mayInject } from '../desk-room.js'
import { endOf, leftUntil } from '../real-time.js'
import { Decide } from './decide.js'

type Decision = Schema<'SessionDecision'>

/** What the team decides: what is open now, and what is to come. */
export function Decisions({ room }: { room: DeskRoom }) {
  const planned = room.decisions.value.filter(({ status }) => status === 'planned')
  const open = room.decisions.value.filter(({ status }) => status === 'open')
  const [beat, setBeat] = useState<string | null>(null)
  // It may end while somebody records it: then the dialog says so.
  const deciding = room.decisions.value.find((one) => one.beat === beat)
  const section = useRef<HTMLElement>(null)
  const newest = open.at(-1)?.beat
  useLayoutEffect(() => {
    // A new decision is above what the trainer reads. It does not disturb what they write.
    const column = newest && section.current?.closest('.desk-column')
    if (column && !column.contains(document.activeElement)) column.scrollTop = 0
  }, [newest])
  if (planned.length + open.length === 0 && !deciding) return null
  return (
    <section ref={section} class="stack tight">
      <h2>{say('lead.decisions')}</h2>
      {open.length > 0 && <DecisionList decisions={open} room={room} onDecide={setBeat} />}
      {planned.length > 0 && (
        <details class="small">
          <summary>{say('lead.decisionsToCome', { count: planned.length })}</summary>
          <DecisionList decisions={planned} room={room} />
        </details>
      )}
      {deciding && <Decide decision={deciding} room={room} onClose={() => setBeat(null)} />}
    </section>
  )
}

/** How decisions ended. */
export function EndedDecisions({ room }: { room: DeskRoom }) {
  const ended = room.decisions.value.filter(({ status }) => ['decided', 'lapsed'].includes(status))
  if (ended.length === 0) return null
  return (
    <section class="stack tight">
      <h2>{say('lead.decisionsEnded')}</h2>
      <DecisionList decisions={ended} room={room} />
    </section>
  )
}

interface DecisionListProps {
  decisions: readonly Decision[]
  room: DeskRoom
  /** Opens what records a choice for the team. */
  onDecide?: (beat: string) => void
}

function DecisionList({ decisions, ...rest }: DecisionListProps) {
  return (
    <ul class="decisions">
      {decisions.map((decision) => (
        <DecisionItem key={decision.beat} decision={decision} {...rest} />
      ))}
    </ul>
  )
}

type DecisionItemProps = { decision: Decision } & Omit<DecisionListProps, 'decisions'>

function DecisionItem({ decision, room, onDecide }: DecisionItemProps) {
  const { beat, status, question, deadline_at, message_id, deadline_minutes } = decision
  const { asked_offset_ms } = decision
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
      {status === 'planned' && (
        <p class="muted">
          {say('lead.plannedAt', { minute: Math.round(asked_offset_ms / 60_000) })}
        </p>
      )}
      {status === 'open' && message_id && (
        <p class="muted">{endOf(room, message_id, deadline_minutes)}</p>
      )}
      <p>
        <Story as="strong">{question}</Story>
      </p>
      <p class="muted">{how(decision, room)}</p>
      {(status === 'open' || status === 'planned') && (
        <p class="muted">{say('lead.decidedBy', { who: decidersOf(decision, room) })}</p>
      )}
      {status === 'open' && mayInject(room) && onDecide && (
        <button type="button" class="small" onClick={() => onDecide(beat)}>
          {say('lead.decide')}
        </button>
      )}
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
  const { facilitator, participants = [] } = room.briefing.value ?? {}
  const titleOf = (key: string) =>
    facilitator?.roles.find(({ role_key }) => role_key === key)?.title ??
    // Raters see only the roles that participants play.
    participants.find(({ role_key }) => role_key === key)?.role_title ??
    key
  return decided_by.map(titleOf).join(', ')
}

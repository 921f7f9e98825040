import { say } from '../../../shared/words/words.js'
import type { Panes } from '../panes/panes.js'
import { DecisionCard } from './decision-card.js'

/** The decisions that the session has asked for, the open ones first. */
export function Decisions({ panes }: { panes: Panes }) {
  const decisions = panes.room.decisions.value.filter(({ status }) => status !== 'planned')
  if (decisions.length === 0) return <p class="muted">{say('decision.none')}</p>
  const isOpen = ({ status }: { status: string }) => status === 'open'
  const sorted = [...decisions.filter(isOpen), ...decisions.filter((one) => !isOpen(one)).reverse()]
  return (
    <>
      {sorted.map((one) => (
        <DecisionCard key={one.beat} panes={panes} decision={one} />
      ))}
    </>
  )
}

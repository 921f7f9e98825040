import type { Schema } from '../../../shared/forms/schema.js'
import { say } from '../../../shared/words/words.js'
import type { Panes } from '../panes/panes.js'
import { deadlinesOf } from './deadlines.js'
import { DecisionCard } from './decision-card.js'
import { Questions } from './questions.js'

/** What the session has asked for: the open decisions and questions, and then what has ended. */
export function Decisions({ panes }: { panes: Panes }) {
  const decisions = panes.room.decisions.value.filter(({ status }) => status !== 'planned')
  if (decisions.length === 0 && deadlinesOf(panes.room).length === 0) {
    return <p class="muted">{say('decision.none')}</p>
  }
  const isOpen = ({ status }: { status: string }) => status === 'open'
  const cardOf = (one: Schema<'SessionDecision'>) => (
    <DecisionCard key={one.beat} panes={panes} decision={one} />
  )
  const ended = decisions.filter((one) => !isOpen(one)).reverse()
  // One list: a decision that ends keeps its card, which has the focus.
  const cards = [
    ...decisions.filter(isOpen).map(cardOf),
    <Questions key="questions" panes={panes} />,
    ...ended.map(cardOf),
  ]
  return <>{cards}</>
}

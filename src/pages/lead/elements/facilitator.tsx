import type { Schema } from '../../shared/forms/schema.js'
import { Story } from '../../shared/room/story.js'
import { say } from '../words/words.js'

/** What an observer watches for, from which minute to which. */
export const ObserverNotes = ({ observer }: { observer: readonly Schema<'ObserverNote'>[] }) => (
  <dl class="terms">
    {observer.map(({ from_minute, to_minute, watch }) => (
      <div key={from_minute}>
        <dt>{say('lead.fromTo', { from: from_minute, to: to_minute })}</dt>
        <Story as="dd">{watch}</Story>
      </div>
    ))}
  </dl>
)

/** The questions of the debrief, in their order. */
export const DebriefQuestions = ({ debrief }: { debrief: readonly string[] }) => (
  <Story as="ol" class="numbered">
    {debrief.map((question) => (
      <li key={question}>{question}</li>
    ))}
  </Story>
)

import type { Schema } from '../../shared/forms/schema.js'
import { say, storyLanguage } from '../words/words.js'

/** What an observer watches for, from which minute to which. */
export const ObserverNotes = ({ observer }: { observer: readonly Schema<'ObserverNote'>[] }) => (
  <dl class="terms">
    {observer.map(({ from_minute, to_minute, watch }) => (
      <div key={from_minute}>
        <dt>{say('lead.fromTo', { from: from_minute, to: to_minute })}</dt>
        <dd lang={storyLanguage}>{watch}</dd>
      </div>
    ))}
  </dl>
)

/** The questions of the debrief, in their order. */
export const DebriefQuestions = ({ debrief }: { debrief: readonly string[] }) => (
  <ol class="numbered" lang={storyLanguage}>
    {debrief.map((question) => (
      <li key={question}>{question}</li>
    ))}
  </ol>
)

import type { Schema } from '../forms/schema.js'
import { say } from '../words/words.js'

/** A document of the story. Participants open it at the message that shows it. */
export function Artefact({ title, text }: Schema<'Artefact'>) {
  return (
    <details class="artefact">
      <summary>
        <span class="muted">{say('message.document')}</span> {title}
      </summary>
      <p class="text">{text}</p>
    </details>
  )
}

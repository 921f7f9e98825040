import type { Schema } from '../forms/schema.js'
import { say } from '../words/words.js'
import { Prose } from './prose.js'
import { Story } from './story.js'

/** A document of the story. Participants open it at the message that shows it. */
export function Artefact({ title, text }: Schema<'Artefact'>) {
  return (
    <details class="artefact">
      <summary>
        <span class="muted">{say('message.document')}</span> <Story>{title}</Story>
      </summary>
      <Prose text={text} isOfStory />
    </details>
  )
}

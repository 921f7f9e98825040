import type { Schema } from '../forms/schema.js'
import { say, storyLanguage } from '../words/words.js'
import { Prose } from './prose.js'

/** A document of the story. Participants open it at the message that shows it. */
export function Artefact({ title, text }: Schema<'Artefact'>) {
  return (
    <details class="artefact">
      <summary>
        <span class="muted">{say('message.document')}</span>{' '}
        <span lang={storyLanguage}>{title}</span>
      </summary>
      <Prose text={text} lang={storyLanguage} />
    </details>
  )
}

import type { Schema } from '../../../shared/forms/schema.js'
import { Prose } from '../../../shared/room/prose.js'
import { Story } from '../../../shared/room/story.js'
import { DebriefQuestions, ObserverNotes } from '../../elements/facilitator.js'
import { say } from '../../words/words.js'

/** The documents of the story, each on a sheet of its own. Participants also see them in the room. */
export const Documents = ({ artefacts }: { artefacts: readonly Schema<'Artefact'>[] }) => (
  <>
    {artefacts.length > 0 && <p class="unprinted muted">{say('lead.documentsWhy')}</p>}
    {artefacts.map(({ title, text }) => (
      <Story as="section" key={title} class="card stack sheet-of-paper">
        <h2>{title}</h2>
        <Prose text={text} isOfStory />
      </Story>
    ))}
  </>
)

interface TrainerSheetProps {
  observer: readonly Schema<'ObserverNote'>[]
  debrief: readonly string[]
}

/** The sheet for an observer and for the debrief. Participants do not get it. */
export function TrainerSheet({ observer, debrief }: TrainerSheetProps) {
  if (observer.length === 0 && debrief.length === 0) return null
  return (
    <section class="card stack sheet-of-paper">
      <h2>{say('lead.trainerSheet')}</h2>
      <h3>{say('lead.observer')}</h3>
      <ObserverNotes observer={observer} />
      <h3>{say('lead.debriefQuestions')}</h3>
      <DebriefQuestions debrief={debrief} />
    </section>
  )
}

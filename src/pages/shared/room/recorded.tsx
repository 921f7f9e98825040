import { say } from '../words/words.js'
import { written } from '../written.js'
import type { Message } from './messages.js'
import { Story } from './story.js'

/** Whether a trainer has recorded this decision for the team. The character who sends it has not said it. */
export const isRecorded = ({ decides }: Message) => decides?.on_behalf === true

/** The option that a trainer has recorded, and the trainer's reason. */
export function Recorded({ content, decides }: Message) {
  const reason = decides?.reason ?? null
  // The reason is the end of the text.
  const label = reason === null ? content : content.slice(0, -reason.length).trimEnd()
  return (
    <>
      <Story as="p" class="text">
        {label}
      </Story>
      {reason !== null && (
        <p class="small text">
          <span class="muted">{say('decision.trainer_reason')}</span>{' '}
          <span {...written}>{reason}</span>
        </p>
      )}
    </>
  )
}

import { useMemo } from 'preact/hooks'
import { say } from '../words/words.js'
import { written } from '../written.js'
import { Artefact } from './artefact.js'
import { Avatar } from './avatar.js'
import type { Message } from './messages.js'
import { Minute } from './minute.js'
import type { Person } from './people.js'
import { Prose } from './prose.js'
import { isRecorded, Recorded } from './recorded.js'

interface MessageProps {
  message: Message
  sender: Person | undefined
  isOwn?: boolean
  /** Whether the job of the sender is told. */
  hasJob?: boolean
}

/** One message. What a machine wrote is marked. */
export function MessageView({ message, sender, isOwn = false, hasJob = false }: MessageProps) {
  // The same result keeps a long room fast: a message never changes.
  return useMemo(() => {
    if (isRecorded(message)) return <RecordedView message={message} />
    const isOfStory = message.sender_kind === 'character' && !message.injected
    const name = isOwn ? say('message.you') : (sender?.name ?? '–')
    return (
      <article class={isOwn ? 'message own' : 'message'}>
        <Avatar person={sender} />
        <div>
          <h3 class="row message-head">
            <span {...(!isOwn && written)}>{name}</span>
            {message.sender_kind === 'character' && (
              <span class="chip machine">{say('message.machine')}</span>
            )}
            <When message={message} />
          </h3>
          {hasJob && sender?.title && <p class="muted small">{sender.title}</p>}
          <Prose text={message.content} isOfStory={isOfStory} />
          {message.artefact && <Artefact {...message.artefact} />}
        </div>
      </article>
    )
  }, [message, sender, isOwn, hasJob])
}

const RecordedView = ({ message }: { message: Message }) => (
  <article class="message recorded">
    <div>
      <h3 class="row message-head">
        <span>{say('decision.on_behalf')}</span>
        <When message={message} />
      </h3>
      <Recorded {...message} />
    </div>
  </article>
)

const When = ({ message: { offset_ms, posted_at } }: { message: Message }) =>
  offset_ms >= 0 ? <Minute elapsed_ms={offset_ms} instant={posted_at} /> : null

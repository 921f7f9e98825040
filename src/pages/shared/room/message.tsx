import { useMemo } from 'preact/hooks'
import { say } from '../words/words.js'
import { Artefact } from './artefact.js'
import { Avatar } from './avatar.js'
import type { Message } from './messages.js'
import { Minute } from './minute.js'
import type { Person } from './people.js'
import { Prose } from './prose.js'

interface MessageProps {
  message: Message
  sender: Person | undefined
  isOwn?: boolean
}

/** One message. What a machine wrote is marked. */
export function MessageView({ message, sender, isOwn = false }: MessageProps) {
  // The same result keeps a long room fast: a message never changes.
  return useMemo(() => {
    const name = isOwn ? say('message.you') : (sender?.name ?? '–')
    return (
      <article class={isOwn ? 'message own' : 'message'}>
        <Avatar person={sender} />
        <div>
          <h3 class="row message-head">
            <span>{name}</span>
            {sender?.title && <span class="muted small">{sender.title}</span>}
            {message.sender_kind === 'character' && (
              <span class="chip machine">{say('message.machine')}</span>
            )}
            {message.offset_ms >= 0 && (
              <Minute elapsed_ms={message.offset_ms} instant={message.posted_at} />
            )}
          </h3>
          <Prose text={message.content} />
          {message.artefact && <Artefact {...message.artefact} />}
        </div>
      </article>
    )
  }, [message, sender, isOwn])
}

import { useMemo } from 'preact/hooks'
import { beginningOf } from '../../../shared/room/beginning.js'
import { MessageView } from '../../../shared/room/message.js'
import type { Message } from '../../../shared/room/messages.js'
import { say } from '../../../shared/words/words.js'
import { me } from '../../state.js'
import type { Panes } from '../panes/panes.js'
import { Asked } from './asked.js'

interface RowProps {
  panes: Panes
  message: Message
  /** Whether the message before it belongs to the same thread. */
  isFollowing: boolean
  /** The line above it, if it is the first new message or the first one after the start. */
  line: 'new' | 'start' | 'before' | null
  isLast: boolean
  hasJob?: boolean
  /** Whether its thread has an unsent reply. */
  hasDraft?: boolean
  isInThread?: boolean
}

/** One message in a list, with what it replies to and what it asks for. */
export function Row(props: RowProps) {
  const { panes, message, isFollowing, line, isLast } = props
  const { hasJob = false, hasDraft = false, isInThread = false } = props
  const sender = panes.room.people.value.get(message.sender_id)
  const isOwn = message.sender_id === me.value
  return useMemo(
    () => (
      <li id={rowId(message, isInThread)}>
        {line && <p class={`line ${line}`}>{say(`room.line_${line}`)}</p>}
        {message.thread_id && !isFollowing && !isInThread && (
          <Quote panes={panes} root_id={message.thread_id} />
        )}
        <div class={message.thread_id && !isInThread ? 'in-thread' : undefined}>
          <div class="said">
            <MessageView
              message={message}
              sender={sender}
              isOwn={isOwn}
              hasJob={hasJob && !isOwn}
            />
            {!isInThread && <ReplyButton panes={panes} message={message} isLast={isLast} />}
          </div>
          {message.decides && <p class="chip good decides">{say('decision.this')}</p>}
          {message.expectation && <Asked panes={panes} message={message} isInThread={isInThread} />}
          {hasDraft && <Drafted panes={panes} message={message} />}
        </div>
      </li>
    ),
    [panes, message, sender, isOwn, isFollowing, line, isLast, hasJob, hasDraft, isInThread],
  )
}

export const rowId = ({ _id }: Pick<Message, '_id'>, isInThread: boolean) =>
  isInThread ? `thread-${_id}` : `message-${_id}`

/** The message that a reply answers, above it: the message before belongs to another thread. */
function Quote({ panes, root_id }: { panes: Panes; root_id: string }) {
  const root = panes.room.messages.byId.value.get(root_id)
  const name = panes.room.people.value.get(root?.sender_id ?? '')?.name ?? ''
  const text = beginningOf(root?.content ?? '')
  return (
    <p class="quote small muted">
      <span aria-hidden="true">↪ </span>
      {say('room.reply_to', { name, text })}
    </p>
  )
}

interface ReplyButtonProps {
  panes: Panes
  message: Message
  isLast: boolean
}

/** Opens the thread of a message. Only the last one is a stop of the Tab key; arrows lead to the others. */
function ReplyButton({ panes, message, isLast }: ReplyButtonProps) {
  const root_id = message.thread_id ?? message._id
  const name = panes.room.people.value.get(message.sender_id)?.name ?? ''
  return (
    <button
      type="button"
      class="quiet reply small"
      data-reply
      tabIndex={isLast ? 0 : -1}
      onClick={() => panes.openSide({ name: 'thread', root_id })}
    >
      <svg class="icon" viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
        <path d="M7 3 2.5 7.5 7 12M3 7.5h6.5a4 4 0 0 1 4 4V13" />
      </svg>
      <span class="word">{say('room.reply')}</span>
      <span class="unseen"> {say('room.reply_to_whom', { name })}</span>
    </button>
  )
}

/** A button that opens an unsent reply again. */
const Drafted = ({ panes, message }: Pick<RowProps, 'panes' | 'message'>) => (
  <button
    type="button"
    class="chip drafted"
    onClick={() => panes.openSide({ name: 'thread', root_id: message._id })}
  >
    {say('room.drafted')}
  </button>
)

import type { Outbox, Unsent } from '../../../shared/room/outbox.js'
import type { Room } from '../../../shared/room/room.js'
import { say } from '../../../shared/words/words.js'
import { written } from '../../../shared/written.js'
import { draftOf, putIntoDraft } from '../drafts.js'

interface UnsentProps {
  room: Room
  conversation_id: string
  /** The thread whose messages are shown; undefined for those of all threads. */
  thread_id?: string
}

/** The messages that the participant has written and the service has not accepted yet. */
export function UnsentMessages({ room, conversation_id, thread_id }: UnsentProps) {
  const unsent = room.outbox.unsent.value.filter(
    (one) =>
      one.conversation_id === conversation_id &&
      (thread_id === undefined || one.thread_id === thread_id),
  )
  return (
    <>
      {unsent.map((one) => (
        <li key={one.client_message_id} class="unsent">
          <p class="text" {...written}>
            {one.content}
          </p>
          {one.fault === null ? (
            <p class="muted small">{say('room.sending')}</p>
          ) : (
            <Refused
              outbox={room.outbox}
              message={one}
              draft={draftOf(room, one.conversation_id, one.thread_id ?? null)}
            />
          )}
        </li>
      ))}
    </>
  )
}

interface RefusedProps {
  outbox: Outbox
  message: Unsent
  /** The key of the draft that gets the text of a message that is taken back. */
  draft: string
}

/** Why the service has refused a message, and what to do with it. */
export function Refused({ outbox, message, draft }: RefusedProps) {
  const { client_message_id: id, content, fault } = message
  const takeBack = () => {
    outbox.remove(id)
    putIntoDraft(draft, content)
  }
  return (
    <div class="stack tight" role="alert">
      <p class="fault small">{say('room.not_sent', { fault: fault ?? '' })}</p>
      <div class="row">
        <button type="button" onClick={() => outbox.retry(id)}>
          {say('action.retry')}
        </button>
        <button type="button" onClick={takeBack}>
          {say('room.take_back')}
        </button>
      </div>
    </div>
  )
}

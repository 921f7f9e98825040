import type { Room } from '../../../shared/room/room.js'
import { Story } from '../../../shared/room/story.js'
import { say } from '../../../shared/words/words.js'
import type { Panes } from '../panes/panes.js'
import { type Deadline, deadlinesOf } from './deadlines.js'
import { timeLeft, whomFor } from './whom.js'

/** Opens the thread of a question. Only a reply counts as the answer. */
export function openQuestion(panes: Panes, { conversation_id, message_id }: Deadline): void {
  panes.open(conversation_id, message_id)
  const thread_id = panes.room.messages.byId.peek().get(message_id)?.thread_id
  panes.openSide({ name: 'thread', root_id: thread_id ?? message_id })
}

/** The open questions without a decision. */
const openQuestions = (room: Room) => deadlinesOf(room).filter(({ decision }) => decision === null)

/** The open questions of one conversation. A message beside them does not answer them. */
export const openQuestionsIn = (room: Room, conversation_id: string) =>
  openQuestions(room).filter((one) => one.conversation_id === conversation_id)

export function Questions({ panes }: { panes: Panes }) {
  const { room } = panes
  return (
    <>
      {openQuestions(room).map((one) => (
        <section key={one.message_id} class="card stack question">
          <h3>
            {say('asked.please')} <Story>{one.text}</Story>
          </h3>
          <p class="row">
            <span class="chip warn">{timeLeft(room, one)}</span>
            <span class="small muted">{whomFor(room, null)}</span>
          </p>
          <button type="button" class="wide" onClick={() => openQuestion(panes, one)}>
            {say('asked.answer')}
          </button>
        </section>
      ))}
    </>
  )
}

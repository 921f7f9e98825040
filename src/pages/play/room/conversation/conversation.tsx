import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { firstOfEach, type Message } from '../../../shared/room/messages.js'
import { moveBetweenReplies } from '../../../shared/room/reply-stops.js'
import { ScrollArea } from '../../../shared/scroll-area.js'
import { say } from '../../../shared/words/words.js'
import { me } from '../../state.js'
import { openQuestionsIn } from '../decisions/questions.js'
import { draftedThreads, draftOf } from '../drafts.js'
import { isOver, obstacleOf } from '../obstacle.js'
import { isVisible, type Panes } from '../panes/panes.js'
import { PaneHead } from '../panes/side-pane.js'
import { Composer } from './composer.js'
import { Row } from './row.js'
import { useScroll } from './scroll.js'
import { UnsentMessages } from './unsent.js'

interface ConversationProps {
  panes: Panes
  isShown: boolean
}

/** The messages of a channel in the order in which they came, and a box for another one. */
export function Conversation({ panes, isShown }: ConversationProps) {
  const { room } = panes
  const id = panes.conversation_id.value
  const channel = room.briefing.value?.channels.find((one) => one.conversation_id === id)
  if (id === null || !channel) return <p class="pane-body muted">{say('room.no_channel')}</p>
  const name = channel.channel_name
  const isAsked = openQuestionsIn(room, id).length > 0
  return (
    <>
      <PaneHead panes={panes} title={`# ${name}`} detail={channel.purpose} />
      <MessageList panes={panes} conversation_id={id} isShown={isShown} key={id} />
      <Composer
        panes={panes}
        draft={draftOf(room, id, null)}
        label={say('room.write_in', { name })}
        obstacle={obstacleOf(room)}
        isOver={isOver(room)}
        note={isAsked ? say('room.answer_in_thread') : null}
        onSend={(content) => room.outbox.add({ conversation_id: id, thread_id: null, content })}
      />
    </>
  )
}

interface MessageListProps extends ConversationProps {
  conversation_id: string
}

function MessageList({ panes, conversation_id, isShown }: MessageListProps) {
  const messages = panes.messages.value
  const firsts = useMemo(() => firstOfEach(messages), [messages])
  const list = useRef<HTMLElement>(null)
  const { isAtEnd, toEnd } = useScroll(list, panes, isShown)
  const unsent = panes.room.outbox.unsent.value.length
  useLayoutEffect(() => {
    // Their author wants to see them.
    if (unsent > 0) toEnd()
  }, [unsent])
  const newest = messages.at(-1)?.seq ?? 0
  useLayoutEffect(() => {
    if (isShown && isAtEnd.value && isVisible.value) {
      panes.see(conversation_id, newest)
    }
  }, [isShown, isAtEnd.value, isVisible.value, newest])
  const unread = panes.unread.value.get(conversation_id) ?? 0
  const drafted = draftedThreads(panes, conversation_id)
  return (
    <div class="messages-frame">
      <ScrollArea
        ref={list}
        class="messages"
        label={say('room.messages')}
        onKeyDown={moveBetweenReplies}
      >
        {messages.length === 0 && <p class="muted empty">{say('room.empty')}</p>}
        <ol class="plain">
          {messages.map((one, i) => (
            <Row
              key={one._id}
              panes={panes}
              message={one}
              isFollowing={isSameThread(messages[i - 1], one)}
              line={lineBefore(panes, messages[i - 1], one)}
              isLast={i === messages.length - 1}
              hasJob={firsts.has(one)}
              hasDraft={drafted.includes(one._id)}
            />
          ))}
          <UnsentMessages room={panes.room} conversation_id={conversation_id} />
        </ol>
      </ScrollArea>
      {unread > 0 && !isAtEnd.value && (
        <button type="button" class="primary to-end" onClick={toEnd}>
          {say('room.new_below', { count: unread })} <span aria-hidden="true">↓</span>
        </button>
      )}
    </div>
  )
}

const isSameThread = (before: Message | undefined, { thread_id }: Message) =>
  before !== undefined && (before.thread_id ?? before._id) === thread_id

/** Which line stands before a message. The new messages matter more than the start. */
function lineBefore(panes: Panes, before: Message | undefined, message: Message) {
  const after = panes.newAfter.value
  const isNew = message.seq > after && message.sender_id !== me.value
  if (before && after > 0 && before.seq <= after && isNew) return 'new'
  if (!before && message.offset_ms < 0) return 'before'
  if (before && before.offset_ms < 0 && message.offset_ms >= 0) return 'start'
  return null
}

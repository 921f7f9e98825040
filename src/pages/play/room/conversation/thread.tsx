import { useLayoutEffect, useRef } from 'preact/hooks'
import { ScrollArea } from '../../../shared/scroll-area.js'
import { say } from '../../../shared/words/words.js'
import { draftOf } from '../drafts.js'
import { isOver, obstacleOf } from '../obstacle.js'
import { isVisible, type Panes } from '../panes/panes.js'
import { PaneHead } from '../panes/side-pane.js'
import { Composer } from './composer.js'
import { Row } from './row.js'
import { UnsentMessages } from './unsent.js'

interface ThreadProps {
  panes: Panes
  root_id: string
}

/** A message with its replies, and a box for another one. */
export function Thread({ panes, root_id }: ThreadProps) {
  const { room } = panes
  const root = room.messages.byId.value.get(root_id)
  const conversation_id = root?.conversation_id ?? ''
  const threads = room.messages.threads.value.get(conversation_id)
  const replies = threads?.find((one) => one.root._id === root_id)?.replies ?? []
  const list = useRef<HTMLElement>(null)
  const unsent = room.outbox.unsent.value.length
  useLayoutEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight
  }, [replies.length, unsent])
  const newest = replies.at(-1)?.seq ?? 0
  useLayoutEffect(() => {
    if (isVisible.value) panes.see(root_id, newest)
  }, [isVisible.value, newest])
  // After a reload the messages arrive later.
  if (!root) return <PaneHead panes={panes} title={say('side.thread')} isSide />
  return (
    <>
      <PaneHead
        panes={panes}
        title={say('side.thread')}
        detail={say('room.replies', { count: replies.length })}
        isSide
      />
      <ScrollArea ref={list} class="messages" label={say('room.thread_messages')}>
        <ol class="plain">
          {[root, ...replies].map((one) => (
            <Row
              key={one._id}
              panes={panes}
              message={one}
              isFollowing
              line={null}
              isLast={false}
              isInThread
            />
          ))}
          <UnsentMessages room={room} conversation_id={conversation_id} thread_id={root_id} />
        </ol>
      </ScrollArea>
      <Composer
        panes={panes}
        draft={draftOf(room, conversation_id, root_id)}
        label={say('room.write_reply')}
        obstacle={obstacleOf(room)}
        isOver={isOver(room)}
        onSend={(content) => room.outbox.add({ conversation_id, thread_id: root_id, content })}
      />
    </>
  )
}

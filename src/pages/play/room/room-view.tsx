import { useEffect } from 'preact/hooks'
import { say } from '../../shared/words/words.js'
import { AskTrainer } from './ask-trainer.js'
import { Conversation } from './conversation/conversation.js'
import { Thread } from './conversation/thread.js'
import { Decisions } from './decisions/decisions.js'
import { followOutcomes } from './decisions/outcome-strip.js'
import { Header } from './header.js'
import { List } from './list.js'
import { closeOnEscape } from './panes/escape.js'
import { isWide, type Panes } from './panes/panes.js'
import { SidePane } from './panes/side-pane.js'
import { SituationPane } from './panes/situation-pane.js'
import type { Pane } from './panes/spot.js'
import { followHistory } from './panes/trail.js'
import { markTyping } from './panes/typing.js'
import { People } from './people.js'

interface RoomViewProps {
  panes: Panes
  /** Goes back to the end; null while the session is not over. */
  close: (() => void) | null
}

/** The room: a list, a conversation, and what is beside it. A narrow screen shows one of them. */
export function RoomView({ panes, close }: RoomViewProps) {
  const { room } = panes
  const channels = room.briefing.value?.channels ?? []
  const ids = channels.flatMap(({ conversation_id }) => conversation_id ?? [])
  useEffect(() => panes.openFirst(ids), [ids.length])
  useEffect(() => followHistory(panes), [panes])
  useEffect(() => closeOnEscape(panes), [panes])
  useEffect(markTyping, [])
  useEffect(() => followOutcomes(panes), [panes])
  const inChannels = [...panes.unread.value.values()].reduce((sum, one) => sum + one, 0)
  const unread = inChannels + panes.unreadWords.value.length
  const name = room.briefing.value?.name ?? ''
  useEffect(() => {
    document.title = unread > 0 ? `(${unread}) ${name}` : name
  }, [unread, name])
  const isShown = (pane: Pane) => isWide.value || panes.pane.value === pane
  const side = panes.side.value
  return (
    <div class={side ? 'room with-side' : 'room'}>
      <Header panes={panes} close={close} />
      <main class="panes">
        <nav class="pane list" aria-label={say('room.list')} hidden={!isShown('list')}>
          <List panes={panes} />
        </nav>
        <section
          class="pane conversation"
          aria-label={say('room.channel')}
          hidden={!isShown('conversation')}
        >
          <Conversation panes={panes} isShown={isShown('conversation')} />
        </section>
        {side && isShown('side') && (
          <section class="pane side" aria-label={say(`side.${side.name}`)}>
            <SideContent panes={panes} />
          </section>
        )}
      </main>
    </div>
  )
}

function SideContent({ panes }: { panes: Panes }) {
  const side = panes.side.value
  if (!side) return null
  if (side.name === 'thread')
    return <Thread panes={panes} root_id={side.root_id} key={side.root_id} />
  if (side.name === 'trainer') return <AskTrainer panes={panes} />
  return (
    <SidePane panes={panes} title={say(`side.${side.name}`)} key={side.name}>
      {side.name === 'decisions' && <Decisions panes={panes} />}
      {side.name === 'people' && <People room={panes.room} />}
      {side.name === 'situation' && <SituationPane room={panes.room} />}
    </SidePane>
  )
}

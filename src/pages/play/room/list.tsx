import { useRef } from 'preact/hooks'
import { Story } from '../../shared/room/story.js'
import { readStored } from '../../shared/stored.js'
import { say } from '../../shared/words/words.js'
import { deadlinesOf } from './decisions/deadlines.js'
import { draftedThreads, draftOf, isOpen } from './drafts.js'
import { mayWriteAtOnce, type Panes } from './panes/panes.js'
import { useFocus } from './panes/side-pane.js'
import type { Side } from './panes/spot.js'

/** The channels with what is unread in them, and what else there is to read. */
export function List({ panes }: { panes: Panes }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useFocus(panes, 'list', heading)
  const channels = panes.room.briefing.value?.channels ?? []
  return (
    <div class="pane-body stack">
      <section class="stack tight">
        <h2 class="list-title" ref={heading} tabIndex={-1}>
          {say('room.channels')}
        </h2>
        <ul class="plain">
          {channels.map(({ conversation_id: id, channel_name, purpose }) =>
            id === null ? null : (
              <li key={id}>
                <Channel panes={panes} id={id} name={channel_name} purpose={purpose} />
              </li>
            ),
          )}
        </ul>
      </section>
      <section class="stack tight">
        <h2 class="list-title">{say('room.drill')}</h2>
        <ul class="plain">
          {(['decisions', 'situation', 'people', 'trainer'] as const).map((name) => (
            <li key={name}>
              <Entry panes={panes} name={name} />
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}

interface ChannelProps {
  panes: Panes
  id: string
  name: string
  purpose: string | null
}

function Channel({ panes, id, name, purpose }: ChannelProps) {
  const unread = panes.unread.value.get(id) ?? 0
  const isHere = isOpen(panes, id)
  const hasDraft = !isHere && readStored(draftOf(panes.room, id, null)) !== null
  return (
    <button
      type="button"
      class="entry"
      aria-current={isHere ? 'true' : undefined}
      onClick={() => panes.open(id, null, mayWriteAtOnce())}
    >
      <span class="entry-text">
        <span class={unread > 0 ? 'entry-name unread' : 'entry-name'}># {name}</span>
        {purpose && <Story class="muted small">{purpose}</Story>}
      </span>
      {(hasDraft || draftedThreads(panes, id).length > 0) && <Draft />}
      {unread > 0 && <Unread count={unread} />}
    </button>
  )
}

const Draft = () => <span class="chip">{say('room.draft')}</span>

const Unread = ({ count, kind = 'accent' }: { count: number; kind?: 'accent' | 'good' }) => (
  <span class={`chip ${kind}`}>
    <span aria-hidden="true">{count}</span>
    <span class="unseen">{say('room.unread', { count })}</span>
  </span>
)

interface EntryProps {
  panes: Panes
  name: Exclude<Side['name'], 'thread'>
}

function Entry({ panes, name }: EntryProps) {
  const open = deadlinesOf(panes.room).length
  const isTrainer = name === 'trainer'
  const words = isTrainer ? panes.unreadWords.value.length : 0
  const isHere = panes.side.value?.name === name
  const hasDraft = isTrainer && readStored(panes.room.storedAs('draft', 'trainer')) !== null
  return (
    <button
      type="button"
      class="entry"
      aria-current={isHere ? 'true' : undefined}
      onClick={() => panes.openSide({ name }, mayWriteAtOnce())}
    >
      <span class={words > 0 ? 'entry-name unread' : 'entry-name'}>{say(`side.${name}`)}</span>
      {name === 'decisions' && open > 0 && (
        <span class="chip warn">{say('room.open_decisions', { count: open })}</span>
      )}
      {hasDraft && !isHere && <Draft />}
      {words > 0 && <Unread count={words} kind="good" />}
    </button>
  )
}

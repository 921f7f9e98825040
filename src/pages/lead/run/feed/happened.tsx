import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { moveBetweenReplies } from '../../../shared/room/reply-stops.js'
import { ScrollArea } from '../../../shared/scroll-area.js'
import { say } from '../../words/words.js'
import type { DeskRoom } from '../desk-room.js'
import type { Feed } from '../shown-messages.js'
import { ChannelOptions } from './channel-options.js'
import { Entry } from './entry.js'

/** What has happened, in the order in which it happened, in one channel or in all. */
export function Happened({ room }: { room: DeskRoom }) {
  const view = room.feed
  const list = useRef<HTMLElement>(null)
  const shown = view.shown.value
  // The newest stays in view while the reader is at the end, also when the box gets smaller.
  useLayoutEffect(() => {
    if (view.isAtEnd.value) toEnd()
  }, [shown.at(-1)?.seq, view.channel.value])
  useLayoutEffect(() => {
    const box = list.current
    if (!box) return
    const watch = new ResizeObserver(() => {
      if (view.isAtEnd.value) toEnd()
    })
    watch.observe(box)
    return () => watch.disconnect()
  }, [view])
  // A message that was asked for gets the focus, once it is drawn.
  useLayoutEffect(() => {
    const entry = list.current?.querySelector<HTMLElement>(`[data-seq="${view.wanted.value}"]`)
    if (!entry) return
    view.wanted.value = null
    entry.scrollIntoView({ block: 'center' })
    entry.focus()
  }, [view.wanted.value, shown])
  useEffect(() => {
    const onPrint = ({ type }: Event) => {
      view.isPrinted.value = type === 'beforeprint'
    }
    const closing = new AbortController()
    for (const type of ['beforeprint', 'afterprint']) addEventListener(type, onPrint, closing)
    return () => closing.abort()
  }, [view])
  const toEnd = () => list.current?.scrollTo({ top: list.current.scrollHeight })
  const onScroll = () => {
    const box = list.current
    if (!box) return
    view.isAtEnd.value = box.scrollHeight - box.scrollTop - box.clientHeight < 60
    if (view.isAtEnd.value) view.seen()
  }
  const hidden = view.matching.value.length - shown.length
  return (
    <>
      <div class="row between feed-head">
        <h2>
          {say('lead.part.happened')}
          {view.channel.value && (
            <span class="printed"> · #{room.channels.value.get(view.channel.value)}</span>
          )}
        </h2>
        <ChannelChoice room={room} view={view} />
      </div>
      <ScrollArea
        ref={list}
        class="feed"
        label={say('lead.part.happened')}
        onScroll={onScroll}
        onKeyDown={moveBetweenReplies}
      >
        {hidden > 0 && (
          <button type="button" class="quiet small" onClick={() => view.more()}>
            {say('lead.earlier', { count: hidden })}
          </button>
        )}
        {shown.length === 0 && <p class="muted">{say('lead.nothingYet')}</p>}
        <ol>
          {shown.map((message) => (
            <Entry
              key={message._id}
              message={message}
              room={room}
              isLast={message === shown.at(-1)}
            />
          ))}
        </ol>
      </ScrollArea>
      {view.unseen.value > 0 && (
        <button type="button" class="primary small feed-new" onClick={toEnd}>
          {say('lead.newBelow', { count: view.unseen.value })} ↓
        </button>
      )}
    </>
  )
}

function ChannelChoice({ room, view }: { room: DeskRoom; view: Feed }) {
  return (
    <label class="row small feed-channel">
      <span class="unseen">{say('lead.channel')}</span>
      <select
        value={view.channel.value ?? ''}
        onChange={({ currentTarget: { value } }) => {
          view.channel.value = value || null
          if (value) room.speakIn.value = value
          view.isAtEnd.value = true
        }}
      >
        <option value="">{say('lead.allChannels')}</option>
        <ChannelOptions room={room} />
      </select>
    </label>
  )
}

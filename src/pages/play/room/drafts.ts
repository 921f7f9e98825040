import type { Room } from '../../shared/room/room.js'
import { readStored, store, storedNames } from '../../shared/stored.js'
import { isWide, type Panes } from './panes/panes.js'
import type { Pane } from './panes/spot.js'

/** The name of the draft of a conversation or thread. */
export const draftOf = (room: Room, conversation_id: string, thread_id: string | null) =>
  room.storedAs('draft', conversation_id, thread_id ?? '')

/** Puts a text into a box, after what is in it already. */
export function putIntoDraft(draft: string, text: string): void {
  store(draft, [readStored<string>(draft), text].filter(Boolean).join('\n'))
  dispatchEvent(new Event(`draft ${draft}`))
}

/** Whether a pane is on the screen. A draft that is not shown can be forgotten. */
const isShown = (panes: Panes, pane: Pane) => panes.pane.value === pane || isWide.value

/** Whether a conversation is on the reader's screen. */
export const isOpen = (panes: Panes, conversation_id: string) =>
  isShown(panes, 'conversation') && panes.conversation_id.value === conversation_id

/** The messages of a conversation whose threads have a draft that is not on the screen. */
export function draftedThreads(panes: Panes, conversation_id: string): string[] {
  const beginning = draftOf(panes.room, conversation_id, null)
  const side = isShown(panes, 'side') ? panes.side.value : null
  const shown = side?.name === 'thread' ? side.root_id : null
  const ids = storedNames(beginning).map((name) => name.slice(beginning.length))
  return ids.filter((id) => id !== '' && id !== shown)
}

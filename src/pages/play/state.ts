import { signal } from '@preact/signals'
import type { Room } from '../shared/room/room.js'
import { linkStoredAs, placeStoredAs, readStored, store } from '../shared/stored.js'

/** What the page shows. */
export type View =
  | { name: 'opening' | 'login' | 'password' | 'sessions' | 'session' | 'moved' | 'left' }
  | { name: 'link'; open(): unknown }
  | { name: 'whose'; display_name: string | null; takeOver(): unknown }
  | { name: 'otherTab'; takeOver(): unknown }
  | { name: 'fault'; error: unknown; retry: (() => void) | null }

/** The place that this tab has open. A reload comes back to it. */
export interface Place {
  session_id: string
  user_id: string
  /** The secret of the link by which the participant came; null for an account. */
  seat_token: string | null
}

export const view = signal<View>({ name: 'opening' })
export const room = signal<Room | null>(null)
/** The `_id` of the participant. */
export const me = signal('')

export const storedPlace = () => readStored<Place>(placeStoredAs)
export const storePlace = (place: Place | null) => store(placeStoredAs, place)

/** The secret of a link whose place is not taken yet. A reload tries it again. */
export const storedLink = () => readStored<string>(linkStoredAs)
export const storeLink = (seat_token: string | null) => store(linkStoredAs, seat_token)

/** Whether the participant can see sessions other than this one. */
export const hasAccount = () => storedPlace()?.seat_token === null
/** Whether this tab has a place that was taken by link. */
export const hasSeat = () => typeof storedPlace()?.seat_token === 'string'

/** What is beside a conversation. */
export type Side =
  | { name: 'thread'; root_id: string }
  | { name: 'decisions' | 'people' | 'situation' | 'trainer' }

export type Pane = 'list' | 'conversation' | 'side'

/** Where the reader of a room is on a narrow screen. */
export interface Spot {
  pane: Pane
  conversation_id: string | null
  side: Side | null
  /** The pane from which the side pane was opened. */
  beneath: Pane
}

/** The panes from the list to the one that is open. */
export function wayTo(spot: Spot): Spot[] {
  if (spot.pane === 'list') return []
  if (spot.pane === 'conversation' || spot.beneath === 'list') return [spot]
  return [{ ...spot, pane: 'conversation', side: null }, spot]
}

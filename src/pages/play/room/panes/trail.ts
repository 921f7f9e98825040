import { effect } from '@preact/signals'
import { isWide, type Panes } from './panes.js'
import { type Spot, wayTo } from './spot.js'

/** What an entry of the browser's history holds. The address of the page stays the same. */
interface Entry {
  session_id: string
  depth: number
  spot: Spot
}

/** Whether the page has asked the browser to go back, which it does later. */
let isGoing = false
/** Is called when the browser has gone to another entry; null while no room is open. */
let onArrival: ((isOwn: boolean) => void) | null = null

addEventListener('popstate', () => {
  const isOwn = isGoing
  isGoing = false
  if (onArrival) onArrival(isOwn)
  else if (isOwn) goBack(history.state?.depth ?? 0)
})

/** Goes back some entries. One way at a time: two would add up, and lead out of the page. */
function goBack(steps: number): void {
  if (isGoing || steps === 0) return
  isGoing = true
  history.go(-steps)
}

/**
 * Makes the Back button of a phone close the pane that is open, as the page's own button does. Each open pane is one
 * entry of the browser's history, so that entries never pile up. Returns how to stop.
 */
export function followHistory(panes: Panes): () => void {
  const { session_id } = panes.room
  const entry = (): Entry | null =>
    history.state?.session_id === session_id ? history.state : null
  const depth = () => entry()?.depth ?? 0

  function keep(spot: Spot): void {
    if (isWide.value || isGoing) return
    const way = wayTo(spot)
    const steps = way.length - depth()
    if (steps < 0) goBack(-steps)
    else if (steps > 0) {
      for (const next of way.slice(-steps)) write('pushState', depth() + 1, next)
    } else if (way.length > 0) write('replaceState', depth(), spot)
  }

  const write = (how: 'pushState' | 'replaceState', at: number, spot: Spot) =>
    history[how]({ session_id, depth: at, spot } satisfies Entry, '')

  function arrive(isOwn: boolean): void {
    if (!isOwn) meet()
    keep(panes.spot.peek())
  }

  /** Opens and closes panes until they fit the entry. A wide screen closes only what is at the side. */
  function meet(): void {
    if (isWide.peek()) {
      if (panes.side.peek()) panes.back()
      return
    }
    const now = entry()
    while (wayTo(panes.spot.peek()).length > (now?.depth ?? 0)) panes.back()
    if (now && wayTo(panes.spot.peek()).length < now.depth) panes.show(now.spot)
  }

  // A reload stays where it was. An entry that the browser is about to leave does not count.
  if (entry() && !isWide.peek() && !isGoing) meet()
  const stop = effect(() => keep(panes.spot.value))
  onArrival = arrive
  return () => {
    stop()
    onArrival = null
    goBack(depth())
  }
}

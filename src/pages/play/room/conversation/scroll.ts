import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Panes } from '../panes/panes.js'

/** How many pixels before its end a list still counts as at its end. */
const tolerance = 60

interface Scroll {
  isAtEnd: Signal<boolean>
  toEnd(): void
}

/** Keeps a list at its end while its reader is there. It begins at the first new message. */
export function useScroll(
  list: RefObject<HTMLElement | null>,
  panes: Panes,
  isShown: boolean,
): Scroll {
  const isAtEnd = useSignal(true)
  const hasBegun = useRef(false)
  const measure = () => {
    const element = list.current
    if (!element || element.clientHeight === 0) return
    const below = element.scrollHeight - element.clientHeight - element.scrollTop
    isAtEnd.value = below < tolerance
  }
  const toEnd = () => {
    const element = list.current
    if (element) element.scrollTop = element.scrollHeight
  }
  useEffect(() => {
    const element = list.current
    if (!element) return
    let top = 0
    const onScroll = () => {
      const isUp = element.scrollTop < top
      top = element.scrollTop
      // A new message is below the screen until the list has moved. Only a reader moves the list up.
      if (isUp || !isAtEnd.peek()) measure()
    }
    // The reader of a document begins at its title, also where a list would keep to its end.
    const onToggle = ({ target }: Event) => {
      if (!(target instanceof HTMLDetailsElement && target.open)) return
      isAtEnd.value = false
      target.scrollIntoView({ block: 'nearest' })
      target.firstElementChild?.scrollIntoView({ block: 'nearest' })
      measure()
    }
    const observer = new ResizeObserver(() => {
      if (isAtEnd.peek()) toEnd()
      else measure()
    })
    observer.observe(element)
    if (element.lastElementChild) observer.observe(element.lastElementChild)
    element.addEventListener('scroll', onScroll, { passive: true })
    element.addEventListener('toggle', onToggle, { capture: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', onScroll)
      element.removeEventListener('toggle', onToggle, { capture: true })
    }
  }, [])
  const target = panes.target.value
  const isEmpty = panes.messages.value.length === 0
  useLayoutEffect(() => {
    if (!isShown || isEmpty) return
    const isFirstVisit = panes.newAfter.peek() === 0
    const isBeginning = !hasBegun.current && isFirstVisit
    hasBegun.current = true
    const found = target === null ? null : document.getElementById(`message-${target}`)
    const first = found || list.current?.querySelector('.line.new')
    if (first) {
      isAtEnd.value = false
      first.scrollIntoView({ block: found ? 'center' : 'start' })
      if (found) list.current?.querySelector('.target')?.classList.remove('target')
      found?.classList.add('target')
      panes.target.value = null
    } else if (isBeginning) {
      // The first visit begins where the story begins.
      isAtEnd.value = false
      if (list.current) list.current.scrollTop = 0
    } else if (isAtEnd.peek()) toEnd()
    // The browser sends no event if the list did not move.
    if (first || isBeginning) measure()
  }, [isShown, target, isEmpty])
  return { isAtEnd, toEnd }
}

import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Story } from '../../../shared/room/story.js'
import { say } from '../../../shared/words/words.js'
import { isWide, type Panes } from './panes.js'
import type { Pane } from './spot.js'

/** Focuses an element of a pane that the reader has just opened, or the box if they want to write. */
export function useFocus(panes: Panes, pane: Pane, element: RefObject<HTMLElement | null>): void {
  const isOpened = panes.focus.value === pane
  // Before the next key: the reader may already be typing.
  useLayoutEffect(() => {
    if (!isOpened) return
    panes.focus.value = null
    const box = panes.isWriting ? boxBeside(element.current) : null
    if (box) box.focus()
    else if (pane === 'side' || !panes.focusOpener()) element.current?.focus()
  }, [isOpened])
}

const boxBeside = (element: HTMLElement | null) =>
  element?.closest('.pane')?.querySelector<HTMLElement>('.composer textarea') ?? null

interface PaneHeadProps {
  panes: Panes
  title: string
  detail?: string | null
  isSide?: boolean
}

/** The head of a pane: its title, and the way back. */
export function PaneHead({ panes, title, detail, isSide = false }: PaneHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const hasBack = isSide || !isWide.value
  useFocus(panes, isSide ? 'side' : 'conversation', heading)
  return (
    <header class="pane-head">
      {hasBack && (
        <button type="button" class="quiet back" onClick={() => panes.back()}>
          <span aria-hidden="true">{isSide && isWide.value ? '✕' : '‹'}</span>
          <span class="unseen">{say(isSide && isWide.value ? 'action.close' : 'room.back')}</span>
          <Elsewhere count={panes.elsewhere.value} />
        </button>
      )}
      <div>
        <h2 ref={heading} tabIndex={-1} dir="auto">
          {title}
        </h2>
        {detail && (
          <Story as="p" class="muted small">
            {detail}
          </Story>
        )}
      </div>
    </header>
  )
}

/** What has arrived elsewhere. The list tells it where it is beside. */
function Elsewhere({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <span class="chip accent elsewhere">
      <span aria-hidden="true">{count}</span>
      <span class="unseen">{say('room.elsewhere', { count })}</span>
    </span>
  )
}

interface SidePaneProps {
  panes: Panes
  title: string
  children: ComponentChildren
}

export function SidePane({ panes, title, children }: SidePaneProps) {
  return (
    <>
      <PaneHead panes={panes} title={title} isSide />
      <div class="pane-body stack">{children}</div>
    </>
  )
}

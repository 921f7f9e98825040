import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { lastDone } from '../shared/forms/action.js'
import { keepingFocus } from '../shared/forms/action-button.js'
import { printedOn } from './elements/printed.js'
import { say } from './words/words.js'

let isFirst = true

interface ViewProps {
  title: string
  /** The text above the heading, such as the name of the session. */
  over?: ComponentChildren
  /** The content beside the heading. */
  actions?: ComponentChildren
  /** What the heading does not say on paper, such as the session and its date. */
  printed?: string | undefined
  kind?: 'column' | 'broad' | 'full'
  /** How many private words wait for the user. The title of the page shows the number. */
  waiting?: number
  children: ComponentChildren
}

/** A view with its heading. When the user has opened it, the focus moves to the heading. */
export function View({ title, over, actions, printed, children, ...rest }: ViewProps) {
  const { kind = 'broad', waiting = 0 } = rest
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    if (!isFirst) heading.current?.focus()
    isFirst = false
    return () => {
      lastDone.value = null
    }
  }, [])
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title} · ${say('lead.title')}`
  }, [title, waiting])
  return (
    <main id="content" class={`view ${kind}`}>
      <div class="view-head">
        <div class="stack tight">
          {over && <div class="unprinted">{over}</div>}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          <p class="printed">
            {printed && `${printed} · `}
            {printedOn}
          </p>
        </div>
        {actions && <div class="row unprinted">{actions}</div>}
      </div>
      <Done />
      {children}
    </main>
  )
}

/** How long the page shows what was done. Screen readers have announced it. */
const doneMs = 10_000

/** What was done last. It goes with the next action, or after a while unless it is hovered or has the focus. */
function Done() {
  const done = lastDone.value
  const line = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const leaveSoon = () => {
      timer = setTimeout(() => {
        if (line.current?.matches(':hover, :focus-within')) leaveSoon()
        else lastDone.value = null
      }, doneMs)
    }
    if (done) leaveSoon()
    return () => clearTimeout(timer)
  }, [done])
  if (!done) return null
  return (
    <div ref={line} class="done row unprinted">
      <p>✓ {done.text}</p>
      <button
        type="button"
        class="quiet small"
        onClick={({ currentTarget }) =>
          void keepingFocus(currentTarget, async () => {
            lastDone.value = null
          })
        }
      >
        <span aria-hidden="true">✕</span>
        <span class="unseen">{say('action.close')}</span>
      </button>
    </div>
  )
}

import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { say } from './words/words.js'

let isFirst = true

interface ViewProps {
  title: string
  /** The text above the heading, such as the name of the session. */
  over?: ComponentChildren
  /** The content beside the heading. */
  actions?: ComponentChildren
  kind?: 'column' | 'broad' | 'full'
  children: ComponentChildren
}

/** A view with its heading. When the user has opened it, the focus moves to the heading. */
export function View({ title, over, actions, kind = 'broad', children }: ViewProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    if (!isFirst) heading.current?.focus()
    isFirst = false
  }, [])
  useEffect(() => {
    document.title = `${title} · ${say('lead.title')}`
  }, [title])
  return (
    <main id="content" class={`view ${kind}`}>
      <div class="view-head">
        <div class="stack tight">
          {over}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
        </div>
        {actions && <div class="row">{actions}</div>}
      </div>
      {children}
    </main>
  )
}

import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Announcer } from './announcer.js'

interface DialogProps {
  title: string
  onClose(): void
  /** With a button that closes it. */
  children: ComponentChildren
}

/** A modal dialog. The browser keeps the focus inside and returns it afterwards. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const id = useId()
  // Before the next key: a quick Escape must find it open.
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    // Not the first button: it may be the one that cannot be undone.
    heading.current?.focus()
    return () => element?.close()
  }, [])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <div class="stack">
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {children}
      </div>
      <Announcer />
    </dialog>
  )
}

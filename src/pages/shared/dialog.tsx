import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Announcer } from './announcer.js'
import { say } from './words/words.js'

interface DialogProps {
  title: string
  onClose(): void
  /** Whether a button of the dialog itself closes it, so that it needs no other. */
  hasOwnClose?: boolean
  children: ComponentChildren
}

/** A modal dialog. The browser keeps the focus inside and returns it afterwards. */
export function Dialog({ title, onClose, hasOwnClose = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the next key: a quick Escape must find it open.
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <div class="stack">
        <div class="row between">
          <h2 id={id}>{title}</h2>
          {!hasOwnClose && (
            <button type="button" class="quiet" onClick={onClose}>
              {say('action.close')}
            </button>
          )}
        </div>
        {children}
      </div>
      <Announcer />
    </dialog>
  )
}

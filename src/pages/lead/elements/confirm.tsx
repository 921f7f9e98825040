import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Dialog } from '../../shared/dialog.js'
import { ActionFault, useAction } from '../../shared/forms/action.js'
import { say } from '../words/words.js'
import { ActionButton } from './action-button.js'

interface ConfirmButtonProps {
  /** What is asked, and what follows. */
  title: string
  why: string
  act: () => Promise<void>
  done?: string
  kind?: string
  /** The words of the button that does it, if they differ from those of the button that asks. */
  confirm?: string
  children: ComponentChildren
}

/** A button for an action that cannot be undone. It asks first. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { title, why, act, done, kind, children, confirm = children } = props
  const [isAsking, setAsking] = useState(false)
  const action = useAction()
  const close = () => setAsking(false)
  const actAndClose = async () => {
    await act()
    close()
  }
  return (
    <>
      <button type="button" class={kind} onClick={() => setAsking(true)}>
        {children}
      </button>
      {isAsking && (
        <Dialog title={title} onClose={close}>
          <p>{why}</p>
          <ActionFault action={action} />
          <div class="row">
            <ActionButton action={action} act={actAndClose} kind="danger" {...(done && { done })}>
              {confirm}
            </ActionButton>
            <button type="button" onClick={close}>
              {say('action.cancel')}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}

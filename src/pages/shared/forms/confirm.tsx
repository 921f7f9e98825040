import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Dialog } from '../dialog.js'
import { say } from '../words/words.js'
import { ActionFault, useAction } from './action.js'
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
export function ConfirmButton({ kind, children, ...asked }: ConfirmButtonProps) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <button type="button" class={kind} onClick={() => setAsking(true)}>
        {children}
      </button>
      {isAsking && (
        <Confirm {...asked} onClose={() => setAsking(false)}>
          {children}
        </Confirm>
      )}
    </>
  )
}

/** Here the kind is that of the button that does it. */
type ConfirmProps = ConfirmButtonProps & { onClose(): void }

/** Asks whether to do what cannot be undone. */
export function Confirm(props: ConfirmProps) {
  const { title, why, act, done, kind = 'danger', onClose, children, confirm = children } = props
  const action = useAction()
  const actAndClose = async () => {
    await act()
    onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{why}</p>
      <ActionFault action={action} />
      <div class="row">
        <ActionButton action={action} act={actAndClose} kind={kind} {...(done && { done })}>
          {confirm}
        </ActionButton>
        <button type="button" onClick={onClose}>
          {say('action.cancel')}
        </button>
      </div>
    </Dialog>
  )
}

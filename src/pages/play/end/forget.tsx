import { useSignal } from '@preact/signals'
import { Dialog } from '../../shared/dialog.js'
import { ActionForm, useAction } from '../../shared/forms/action.js'
import { say } from '../../shared/words/words.js'
import { logOutHere } from '../account.js'

/** For guests on a device that others use too. After the end, a link no longer opens its place. */
export function Forget() {
  const isAsking = useSignal(false)
  const action = useAction()
  const close = () => {
    isAsking.value = false
  }
  return (
    <>
      <button type="button" class="quiet" onClick={() => (isAsking.value = true)}>
        {say('forget.forget')}
      </button>
      {isAsking.value && (
        <Dialog title={say('forget.title')} onClose={close}>
          <p>{say('forget.text')}</p>
          <ActionForm action={action} act={logOutHere} kind="row">
            <button type="submit" class="danger" aria-disabled={action.isBusy.value}>
              {say('forget.forget')}
            </button>
            <button type="button" onClick={close}>
              {say('action.cancel')}
            </button>
          </ActionForm>
        </Dialog>
      )}
    </>
  )
}

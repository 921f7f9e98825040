import { useSignal } from '@preact/signals'
import { Dialog } from '../../../shared/dialog.js'
import { ActionForm, useAction } from '../../../shared/forms/action.js'
import { Step } from '../../../shared/forms/step.js'
import { say } from '../../../shared/words/words.js'
import { begin, leaveSession } from '../../visit.js'
import { WayOut } from '../../way-out.js'

/** The way out of a session, for those who no longer want to take part. */
export function Leave({ session_id }: { session_id: string }) {
  const isAsking = useSignal(false)
  const action = useAction()
  const close = () => {
    isAsking.value = false
  }
  return (
    <>
      <button type="button" class="quiet wide" onClick={() => (isAsking.value = true)}>
        {say('leave.leave')}
      </button>
      {isAsking.value && (
        <Dialog title={say('leave.title')} onClose={close}>
          <p>{say('leave.text')}</p>
          <p>{say('leave.back')}</p>
          <div class="stack tight">
            <button type="button" class="primary wide" onClick={close}>
              {say('leave.stay')}
            </button>
            <ActionForm action={action} act={() => leaveSession(session_id)}>
              <button type="submit" class="danger wide" aria-disabled={action.isBusy.value}>
                {say('leave.leave')}
              </button>
            </ActionForm>
          </div>
        </Dialog>
      )}
    </>
  )
}

/** After leaving. The place stays free for a while, so there is a way back. */
export function Left() {
  return (
    <Step title={say('leave.left')}>
      <p>{say('leave.left_text')}</p>
      <button type="button" class="wide" onClick={begin}>
        {say('leave.come_back')}
      </button>
      <WayOut />
    </Step>
  )
}

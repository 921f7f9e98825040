import { useState } from 'preact/hooks'
import { sessionTimeOf } from '../../shared/clock.js'
import { Dialog } from '../../shared/dialog.js'
import { ActionFault, ActionForm, useAction } from '../../shared/forms/action.js'
import { ActionButton } from '../../shared/forms/action-button.js'
import { Field, Notice } from '../../shared/forms/form.js'
import type { Schema } from '../../shared/forms/schema.js'
import { clockCalls, endSession } from '../calls/sessions.js'
import { may, mayRate } from '../me.js'
import { href } from '../router.js'
import { forgetLinksOf } from '../sessions/kept-links.js'
import { ComingStart, useStart } from '../sessions/start.js'
import { Status } from '../sessions/status.js'
import { say } from '../words/words.js'
import type { DeskRoom } from './desk-room.js'
import { leftUntil } from './real-time.js'
import { RestPace } from './rest-pace.js'

/** The clock of a session, and what a trainer does with it. */
export function DeskHead({ room }: { room: DeskRoom }) {
  const { clock, briefing, session } = room
  const status = clock.status.value ?? briefing.value?.status ?? 'draft'
  const elapsed = clock.elapsed.value
  const endsAt = session.value.value?.ends_at
  return (
    <div class="desk-head">
      <div class="row">
        <Status status={status} />
        {elapsed !== null && (
          <p class="desk-clock">
            {clock.speed.value > 1 ? (
              <span class="muted small">{say('lead.drillMinute')}</span>
            ) : (
              <span class="unseen">{say('lead.clock')}</span>
            )}{' '}
            <strong translate={false}>{sessionTimeOf(elapsed)}</strong>{' '}
            <span class="muted small">{remaining(room, endsAt)}</span>
          </p>
        )}
      </div>
      {session.value.value?.status === 'scheduled' && status === 'scheduled' && (
        <ComingStart session={session.value.value} places={room.participants.value.value} />
      )}
      {may('pauseSession') && <Controls room={room} />}
      {session.value.value?.failure && (
        <Notice kind="bad">
          <p>{say('lead.failed', { detail: session.value.value.failure.detail })}</p>
        </Notice>
      )}
    </div>
  )
}

function remaining(room: DeskRoom, endsAt: string | null | undefined): string {
  if (!endsAt || room.clock.status.value !== 'running') return ''
  return leftUntil(room, endsAt)
}

/** What a trainer does next with the clock. The same button stays where the focus is. */
const callOf: Partial<Record<Schema<'SessionStatus'>, keyof typeof clockCalls>> = {
  draft: 'start',
  scheduled: 'start',
  running: 'pause',
  paused: 'resume',
  failed: 'retry',
}

function Controls({ room }: { room: DeskRoom }) {
  const action = useAction()
  const [isEnding, setEnding] = useState(false)
  const id = room.session_id
  const status = room.clock.status.value ?? room.briefing.value?.status
  const call = status && callOf[status]
  const { start, question } = useStart(id, () => room.session.again(0))
  return (
    <div class="row desk-controls">
      {call && (
        <ActionButton
          action={action}
          kind={call === 'pause' ? '' : 'primary'}
          act={async () => {
            if (call === 'start') return start()
            if (call === 'resume') return room.resume()
            await clockCalls[call](id)
            room.session.again(0)
          }}
        >
          {say(`lead.${call}`)}
        </ActionButton>
      )}
      {call === 'resume' && <RestPace room={room} />}
      {status && ['running', 'paused', 'failed'].includes(status) && (
        <button type="button" class="danger" onClick={() => setEnding(true)}>
          {say('lead.end')}
        </button>
      )}
      {status === 'completed' && mayRate(room.session.value.value) && (
        <a class="button primary" href={href('sessions', id, 'rate')}>
          {say('lead.rate')}
        </a>
      )}
      <ActionFault action={action} />
      {question}
      {isEnding && <End room={room} onClose={() => setEnding(false)} />}
    </div>
  )
}

function End({ room, onClose }: { room: DeskRoom; onClose: () => void }) {
  const action = useAction()
  const [reason, setReason] = useState('')
  const end = async () => {
    await endSession(room.session_id, reason)
    forgetLinksOf(room.session_id)
    onClose()
  }
  return (
    <Dialog title={say('lead.endTitle')} onClose={onClose}>
      <p>{say('lead.endWhy')}</p>
      <ActionForm action={action} act={end}>
        <Field label={say('lead.endReason')} value={reason} onInput={setReason} maxLength={1000} />
        <div class="row">
          <button type="submit" class="danger" aria-disabled={action.isBusy.value}>
            {say('lead.endNow')}
          </button>
          <button type="button" onClick={onClose}>
            {say('action.cancel')}
          </button>
        </div>
      </ActionForm>
    </Dialog>
  )
}

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Notice } from '../../shared/forms/form.js'
import type { Schema } from '../../shared/forms/schema.js'
import { Step, Waiting } from '../../shared/forms/step.js'
import { faultText, service } from '../../shared/service.js'
import { dateOf, say } from '../../shared/words/words.js'
import { written } from '../../shared/written.js'
import { isCode, logOutHere } from '../account.js'
import { view } from '../state.js'
import { enterSession } from '../visit.js'

type Session = Schema<'ListedSession'>

/** The sessions in which a person with an account takes part. */
export function Sessions() {
  const sessions = useSignal<Session[] | null>(null)
  const fault = useSignal<string | null>(null)
  const read = async () => {
    fault.value = null
    try {
      const params = { query: { participant: 'me' as const, limit: 100 } }
      sessions.value = (await service.api.GET('/api/v1/simulation/sessions', { params })).data
    } catch (error) {
      // Who is logged in may be read with a temporary password, and nothing else.
      if (isCode(error, 'password_change_required')) view.value = { name: 'password' }
      else fault.value = faultText(error)
    }
  }
  useEffect(() => void read(), [])
  if (!sessions.value && !fault.value) return <Waiting />
  return (
    <Step title={say('play.sessions')}>
      {fault.value && (
        <Notice kind="bad">
          <p>{fault.value}</p>
          <button type="button" onClick={read}>
            {say('action.retry')}
          </button>
        </Notice>
      )}
      {sessions.value?.length === 0 && <p>{say('play.no_sessions')}</p>}
      <ul class="plain stack tight">
        {[...(sessions.value ?? [])].sort(byRelevance).map((one) => (
          <li key={one._id}>
            <button type="button" class="choice" onClick={() => enterSession(one._id)}>
              <strong {...written}>{one.name}</strong>
              <span class="muted small">{detailOf(one)}</span>
            </button>
          </li>
        ))}
      </ul>
      <div class="row">
        <button type="button" onClick={read}>
          {say('play.look_again')}
        </button>
        <button type="button" class="quiet" onClick={logOutHere}>
          {say('play.log_out')}
        </button>
      </div>
    </Step>
  )
}

const order = ['running', 'paused', 'failed', 'scheduled', 'draft', 'completed', 'cancelled']
const byRelevance = (a: Session, b: Session) => order.indexOf(a.status) - order.indexOf(b.status)

function detailOf({ status, starts_at, ended_at }: Session): string {
  const instant = ended_at ?? starts_at
  const text = say(`status.${status}`)
  return instant ? `${text} · ${dateOf(instant)}` : text
}

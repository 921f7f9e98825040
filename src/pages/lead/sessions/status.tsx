import type { Schema } from '../../shared/forms/schema.js'
import { say } from '../words/words.js'

const kinds: Record<Schema<'SessionStatus'>, string> = {
  draft: '',
  scheduled: '',
  running: 'good',
  paused: 'warn',
  failed: 'bad',
  completed: '',
  cancelled: '',
}

/** The status of a session, in a word. */
export const Status = ({ status }: { status: Schema<'SessionStatus'> }) => (
  <span class={`chip ${kinds[status]}`}>{say(`lead.status.${status}`)}</span>
)

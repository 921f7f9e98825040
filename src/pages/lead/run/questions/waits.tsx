import type { Schema } from '../../../shared/forms/schema.js'
import { say } from '../../../shared/words/words.js'
import type { DeskRoom } from '../desk-room.js'
import { leftUntil, runSince } from '../real-time.js'

type Expectation = Schema<'SessionExpectation'>

/** What characters wait for, what is due soonest first, and what was left without an answer. */
export function Waits({ room }: { room: DeskRoom }) {
  const all = room.requests.value
  const open = all
    .filter(({ status }) => status === 'open')
    .sort((a, b) => (a.due_at ?? '').localeCompare(b.due_at ?? ''))
  const lapsed = all.filter(({ status }) => status === 'lapsed')
  return (
    <section class="stack tight">
      <h2>{say('lead.waitsTitle')}</h2>
      {open.length === 0 && <p class="muted small">{say('lead.noWaits')}</p>}
      <ul class="waits">
        {open.map((one) => (
          <Wait key={one.message_id} expectation={one} room={room} />
        ))}
      </ul>
      {lapsed.length > 0 && (
        <details class="small">
          <summary>{say('lead.lapsed', { count: lapsed.length })}</summary>
          <ul class="waits">
            {lapsed.map((one) => (
              <Wait key={one.message_id} expectation={one} room={room} />
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function Wait({ expectation, room }: { expectation: Expectation; room: DeskRoom }) {
  const { asked_by, act, due_at, status, seq, conversation_id, message_id } = expectation
  const asked = room.messages.byId.value.get(message_id)
  return (
    <li class="small">
      <p class="row between">
        <strong>{room.people.value.get(asked_by)?.name}</strong>
        {status === 'open' && due_at && (
          <span class={`chip ${room.clock.until(due_at) < 60_000 ? 'bad' : 'warn'}`}>
            {leftUntil(room, due_at)}
          </span>
        )}
      </p>
      <p>{act}</p>
      <p class="row between muted">
        <span>
          #{room.channels.value.get(conversation_id)}
          {status === 'open' && asked && (
            <> · {say('lead.waitsSince', { time: runSince(room, asked.offset_ms) })}</>
          )}
        </span>
        <button type="button" class="quiet small" onClick={() => room.show(seq)}>
          {say('lead.show')}
          <span class="unseen"> {act}</span>
        </button>
      </p>
    </li>
  )
}

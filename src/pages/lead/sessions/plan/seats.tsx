import type { Action } from '../../../shared/forms/action.js'
import type { Schema } from '../../../shared/forms/schema.js'
import { randomId } from '../../../shared/stored.js'
import { nameOf } from '../../calls/people.js'
import { Choice } from '../../elements/choice.js'
import { say } from '../../words/words.js'
import { guest, none, type Seat } from './seat-plan.js'

interface SeatsProps {
  seats: readonly Seat[]
  onChange: (seats: readonly Seat[]) => void
  people: readonly Schema<'User'>[]
  action: Action
}

/** Who takes part: one place for each role, and more places without one. */
export function Seats({ seats, onChange, people, action }: SeatsProps) {
  const sitters = [
    { value: guest, label: say('lead.seat.guest') },
    ...people.map((one) => ({ value: one._id ?? '', label: nameOf(one) })),
    { value: none, label: say('lead.seat.none') },
  ]
  const sit = (key: string, sitter: string) =>
    onChange(seats.map((one) => (one.key === key ? { ...one, sitter } : one)))
  const add = () =>
    onChange([...seats, { key: randomId(), role_key: null, title: null, sitter: guest }])
  const fault = action.faultAt('participants')
  return (
    <section class="card stack">
      <h2>{say('lead.places')}</h2>
      <p class="muted small">{say('lead.placesWhy')}</p>
      {seats.map(({ key, title, sitter }, index) => (
        <Choice
          key={key}
          label={title ?? say('lead.seat.without', { number: index + 1 })}
          value={sitter}
          options={sitters}
          onChange={(value) => sit(key, value)}
        />
      ))}
      {fault && <p class="fault small">{fault}</p>}
      <div>
        <button type="button" onClick={add}>
          {say('lead.seat.add')}
        </button>
      </div>
    </section>
  )
}

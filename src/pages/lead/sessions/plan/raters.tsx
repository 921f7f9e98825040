import type { Schema } from '../../../shared/forms/schema.js'
import { nameOf } from '../../calls/people.js'
import { say } from '../../words/words.js'

interface RatersProps {
  people: readonly Schema<'User'>[]
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
}

/** The executives who may read and rate the session. Trainers may always. */
export function Raters({ people, chosen, onChange }: RatersProps) {
  const executives = people.filter(({ role }) => role === 'executive')
  if (executives.length === 0) return null
  const toggle = (id: string) => {
    const others = chosen.filter((one) => one !== id)
    onChange(others.length < chosen.length ? others : [...others, id])
  }
  return (
    <fieldset class="stack tight">
      <legend>{say('lead.raters')}</legend>
      {executives.map((one) => (
        <label key={one._id} class="choice-line">
          <input
            type="checkbox"
            checked={chosen.includes(one._id ?? '')}
            onChange={() => toggle(one._id ?? '')}
          />
          {nameOf(one)}
        </label>
      ))}
    </fieldset>
  )
}

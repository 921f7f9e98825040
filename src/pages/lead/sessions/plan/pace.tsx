import { useState } from 'preact/hooks'
import { Field } from '../../../shared/forms/form.js'
import { Choice } from '../../elements/choice.js'
import { language, say } from '../../words/words.js'

interface PaceProps {
  speed: string
  /** Says that the pace is for the rest of the drill. Left out if it is for the whole drill. */
  restLabel?: string
  /** How long it takes as planned; null if that is not known. */
  minutes: number | null
  /** Another pace to offer. */
  now?: number
  onChange: (speed: string) => void
}

/** How fast a session's clock runs, and how little time that leaves. */
export function Pace({ speed, restLabel, minutes, now = 1, onChange }: PaceProps) {
  const all = [...new Set([1, 2, 3, 5, 10, 30, 60, 120, now])].sort((a, b) => a - b)
  const [isOther, setOther] = useState(!all.includes(Number(speed)))
  const options = all.map((times) => ({ value: `${times}`, label: paceOf(times, minutes) }))
  const questionMinutes = 3
  return (
    <div class="stack tight">
      <Choice
        label={restLabel ?? say('lead.pace')}
        hint={restLabel ? undefined : say('lead.paceHint')}
        value={isOther ? 'other' : speed}
        options={[...options, { value: 'other', label: say('lead.pace.other') }]}
        onChange={(value) => {
          setOther(value === 'other')
          if (value !== 'other') onChange(value)
        }}
      />
      {isOther && (
        <Field
          label={say('lead.pace.times')}
          hint={minutes === null ? undefined : paceOf(Number(speed) || 1, minutes)}
          type="number"
          required
          min={1}
          max={3600}
          value={speed}
          onInput={onChange}
        />
      )}
      <output class="muted small">
        {Number(speed) > 1 &&
          say('lead.paceLeaves', {
            question: spanOf(questionMinutes),
            left: spanOf(questionMinutes / Number(speed)),
          })}
      </output>
    </div>
  )
}

function paceOf(times: number, minutes: number | null): string {
  const pace = times === 1 ? say('lead.pace.real') : say('lead.pace.faster', { times })
  return minutes === null ? pace : `${pace}, ${spanOf(minutes / times)}`
}

/** Returns a time in words: minutes, or seconds when it is short. */
function spanOf(minutes: number): string {
  const [value, unit] = minutes < 2 ? [minutes * 60, 'second'] : [minutes, 'minute']
  const style = { style: 'unit', unit, unitDisplay: 'long' } as const
  return new Intl.NumberFormat(language, { ...style, maximumFractionDigits: 1 }).format(value)
}

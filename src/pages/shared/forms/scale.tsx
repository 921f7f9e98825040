import { useId } from 'preact/hooks'
import { say } from '../words/words.js'
import { Field, Writing } from './form.js'
import type { Schema } from './schema.js'

export type Value = Schema<'RatingValue'>

interface ScaleProps {
  question: string
  scale: Schema<'RubricScale'>
  value: Value | undefined
  onValue(value: Value): void
}

/** A question of a rubric, with the control that fits its scale. */
export function Scale({ question, scale, value, onValue }: ScaleProps) {
  const options = optionsOf(scale)
  if (options) {
    return <Options question={question} options={options} value={value} onValue={onValue} />
  }
  const text = `${value ?? ''}`
  if (scale.type !== 'count' && scale.type !== 'duration') {
    return <Writing label={question} rows={3} maxLength={10_000} value={text} onInput={onValue} />
  }
  return (
    <Field
      label={question}
      hint={scale.type === 'duration' ? say('rating.in_minutes') : scale.unit}
      type="number"
      min={scale.min ?? 0}
      max={scale.max}
      step={scale.type === 'duration' ? 'any' : undefined}
      value={text}
      onInput={(number) => onValue(number === '' ? '' : Number(number))}
    />
  )
}

interface Option {
  value: Value
  label: string
  description?: string | undefined
}

/** The values to choose from: the steps of a scale, or yes and no. */
function optionsOf({ type, min = 1, max = 5, levels = [] }: Schema<'RubricScale'>) {
  if (type === 'boolean') {
    return [
      { value: true, label: say('rating.yes') },
      { value: false, label: say('rating.no') },
    ]
  }
  if (type !== 'ordinal') return null
  return Array.from({ length: max - min + 1 }, (_, index): Option => {
    const value = min + index
    const level = levels.find((one) => one.value === value)
    if (!level) return { value, label: `${value}` }
    return { value, label: `${value} – ${level.label}`, description: level.description }
  })
}

interface OptionsProps extends Omit<ScaleProps, 'scale'> {
  options: readonly Option[]
}

function Options({ question, options, value, onValue }: OptionsProps) {
  const name = useId()
  return (
    <fieldset>
      <legend>{question}</legend>
      <div class="levels">
        {options.map((one) => (
          <label key={one.label} class="level">
            <input
              type="radio"
              name={name}
              checked={value === one.value}
              onChange={() => onValue(one.value)}
            />
            <span>
              <strong>{one.label}</strong>
              {one.description && <span class="small muted"> {one.description}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

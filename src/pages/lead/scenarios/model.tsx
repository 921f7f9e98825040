import type { Schema } from '../../shared/forms/schema.js'
import { Choice } from '../elements/choice.js'
import { say, type Word } from '../words/words.js'
import { effectsOf } from './effects.js'

export type ModelName = keyof Schema<'BlueprintModels'>

interface ModelProps {
  name: ModelName
  blueprint: Schema<'Blueprint'>
  value: string
  onChange: (value: string) => void
}

/** One model of the workplace: its values to choose from, and what the chosen one changes. */
export function Model({ name, blueprint, value, onChange }: ModelProps) {
  const { values, preset } = blueprint.models[name]
  const chosen = values.find((one) => one.value === value)
  return (
    <section class="stack tight model">
      <Choice
        label={say(`lead.model.${name}` as Word)}
        value={value}
        options={values.map((one) => ({
          value: one.value,
          label: one.value === preset ? say('lead.usual', { label: one.label }) : one.label,
        }))}
        onChange={onChange}
      />
      {chosen && (
        <>
          <p class="small">{chosen.description}</p>
          <details class="small">
            <summary>{say('lead.whatItChanges', { label: chosen.label })}</summary>
            <dl class="terms">
              {effectsOf(chosen, blueprint.cast).map((effect) => (
                <div key={effect.name}>
                  <dt>{effect.name}</dt>
                  {effect.lines.map((line) => (
                    <dd key={line}>{line}</dd>
                  ))}
                </div>
              ))}
              <div>
                <dt>{say('lead.source')}</dt>
                <dd class="muted">{chosen.source.title}</dd>
              </div>
            </dl>
          </details>
        </>
      )}
    </section>
  )
}

import type { Schema } from '../../../shared/forms/schema.js'
import { Choice } from '../../elements/choice.js'
import { say } from '../../words/words.js'

type Guardrail = Schema<'AnalysisPlan'>['guardrails'][number]

const watched = ['increase', 'decrease'] as const

interface GuardrailsProps {
  /** The outcomes that can be watched. */
  outcomes: readonly { value: string; label: string }[]
  chosen: readonly Guardrail[]
  onChange: (chosen: Guardrail[]) => void
}

/** Which outcomes must not get worse, and what would be worse. */
export function Guardrails({ outcomes, chosen, onChange }: GuardrailsProps) {
  const choose = (outcome: string, value: string) => {
    const others = chosen.filter((one) => one.outcome !== outcome)
    const direction = watched.find((one) => one === value)
    onChange(direction ? [...others, { outcome, direction }] : others)
  }
  return (
    <details>
      <summary>{say('lead.guardrails')}</summary>
      <div class="stack tight">
        <p class="muted small">{say('lead.guardrailsWhy')}</p>
        {outcomes.map(({ value: outcome, label }) => (
          <Choice
            key={outcome}
            label={label}
            value={chosen.find((one) => one.outcome === outcome)?.direction ?? ''}
            options={[
              { value: '', label: say('lead.notWatched') },
              ...watched.map((value) => ({ value, label: say(`lead.harm.${value}`) })),
            ]}
            onChange={(value) => choose(outcome, value)}
          />
        ))}
      </div>
    </details>
  )
}

import { announce } from '../../../shared/announcer.js'
import { ActionForm, useAction } from '../../../shared/forms/action.js'
import { Field } from '../../../shared/forms/form.js'
import type { Schema } from '../../../shared/forms/schema.js'
import { registerPlan } from '../../calls/experiments.js'
import { useKept } from '../../draft.js'
import { Choice } from '../../elements/choice.js'
import { number, say } from '../../words/words.js'
import type { ExperimentRead } from '../experiment-reading.js'
import { Guardrails } from './guardrails.js'
import { type Direction, directions, isOption, outcomesOf, usualDirection } from './outcomes.js'

export interface PlanProps {
  all: ExperimentRead
  onChange: () => Promise<void>
}

interface Entered {
  outcome: string
  direction: Direction
  alpha: string
  effect: string
  guardrails: Schema<'AnalysisPlan'>['guardrails']
}

/** Writes down how the arms will be compared. */
export function PlanForm({ all, onChange }: PlanProps) {
  const outcomes = outcomesOf(all)
  const plan = all.results.plan
  const usual = plan?.primary_outcome ?? outcomes[0]?.value ?? ''
  const kept = useKept<Entered>(`analysis ${all.experiment._id}`, {
    outcome: usual,
    direction: plan?.direction ?? usualDirection(usual),
    alpha: decimalOf(plan?.alpha ?? 0.05),
    effect: decimalOf(plan?.smallest_effect),
    guardrails: plan?.guardrails ?? [],
  })
  const { outcome, direction, alpha, effect, guardrails } = kept.fields
  const action = useAction()
  const body: Schema<'AnalysisPlanRegistration'> = {
    primary_outcome: outcome,
    direction,
    alpha: numberOf(alpha),
    smallest_effect: effect === '' ? null : numberOf(effect),
    guardrails: guardrails.filter((one) => one.outcome !== outcome),
  }
  const others = outcomes.filter(({ value }) => value !== outcome && !isOption(value))
  const register = async () => {
    if (Number.isNaN(body.alpha) || Number.isNaN(body.smallest_effect)) return
    await registerPlan(all.experiment._id, body)
    kept.forget()
    await onChange()
    announce(say('lead.planned.done'))
  }
  return (
    <ActionForm action={action} act={register}>
      <p class="muted small">{say('lead.planWhy')}</p>
      <Choice
        label={say('lead.primary')}
        hint={say('lead.primaryHint')}
        value={outcome}
        options={outcomes}
        onChange={(outcome) => kept.set({ outcome, direction: usualDirection(outcome) })}
      />
      <Choice
        label={say('lead.direction')}
        value={direction}
        options={directions.map((value) => ({ value, label: say(`lead.direction.${value}`) }))}
        onChange={(value) =>
          kept.set({ direction: directions.find((one) => one === value) ?? 'any' })
        }
      />
      <Decimal
        label={say('lead.alpha')}
        hint={say('lead.alphaHint')}
        value={alpha}
        onInput={(alpha) => kept.set({ alpha })}
        required
      />
      <Decimal
        label={say('lead.smallestEffect')}
        hint={say('lead.smallestEffectHint')}
        value={effect}
        onInput={(effect) => kept.set({ effect })}
      />
      <Guardrails
        outcomes={others}
        chosen={guardrails}
        onChange={(guardrails) => kept.set({ guardrails })}
      />
      <div>
        <button type="submit" aria-disabled={action.isBusy.value}>
          {say('lead.registerPlan')}
        </button>
      </div>
    </ActionForm>
  )
}

interface DecimalProps {
  label: string
  hint: string
  value: string
  onInput: (value: string) => void
  required?: boolean
}

/** A number with decimals, with a point or a comma. A text: not every browser takes a comma in a number. */
const Decimal = ({ required = false, value, ...field }: DecimalProps) => (
  <Field
    {...field}
    value={value}
    required={required}
    type="text"
    fault={Number.isNaN(numberOf(value)) ? say('lead.notNumber') : undefined}
  />
)

const separator = number(0.5).slice(1, 2)

/** All digits of a number, with the reader's decimal separator. */
const decimalOf = (value: number | null | undefined) => `${value ?? ''}`.replace('.', separator)

const numberOf = (text: string) => Number(text.replace(',', '.'))

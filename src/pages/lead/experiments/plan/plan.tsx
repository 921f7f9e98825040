import type { Schema } from '../../../shared/forms/schema.js'
import { may } from '../../me.js'
import { dateOf, number, say } from '../../words/words.js'
import { outcomeLabel } from './outcomes.js'
import { PlanForm, type PlanProps } from './plan-form.js'

/** How the arms will be compared, which is written down before there are results. */
export function Plan({ all, onChange }: PlanProps) {
  const { experiment, results } = all
  const mayPlan = experiment.status === 'draft' && may('registerAnalysisPlan')
  return (
    <section class="card stack">
      <h2>{say('lead.plan')}</h2>
      {results.plan ? (
        <PlanFacts plan={results.plan} results={results} />
      ) : (
        <p class="muted">{say('lead.noPlan')}</p>
      )}
      {mayPlan && results.plan && (
        <details>
          <summary>{say('lead.changePlan')}</summary>
          <PlanForm all={all} onChange={onChange} />
        </details>
      )}
      {mayPlan && !results.plan && <PlanForm all={all} onChange={onChange} />}
    </section>
  )
}

interface PlanFactsProps {
  plan: Schema<'AnalysisPlan'>
  results: Schema<'ExperimentResults'>
}

const PlanFacts = ({ plan, results }: PlanFactsProps) => (
  <dl class="terms">
    <dt>{say('lead.primary')}</dt>
    <dd>
      {outcomeLabel(plan.primary_outcome, results)} · {say(`lead.direction.${plan.direction}`)}
    </dd>
    <dt>{say('lead.alpha')}</dt>
    <dd>{number(plan.alpha)}</dd>
    {plan.smallest_effect !== null && (
      <>
        <dt>{say('lead.smallestEffect')}</dt>
        <dd>{number(plan.smallest_effect)}</dd>
      </>
    )}
    {plan.guardrails.length > 0 && (
      <>
        <dt>{say('lead.guardrails')}</dt>
        {plan.guardrails.map(({ outcome, direction }) => (
          <dd key={outcome}>
            {outcomeLabel(outcome, results)} · {say(`lead.harm.${direction}`)}
          </dd>
        ))}
      </>
    )}
    <dt>{say('lead.registeredAt')}</dt>
    <dd>{dateOf(plan.registered_at)}</dd>
  </dl>
)

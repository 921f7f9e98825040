import { Notice } from '../../shared/forms/form.js'
import type { Schema } from '../../shared/forms/schema.js'
import { language, say, type Word } from '../words/words.js'

interface Check {
  check: string
  passed: boolean
  message: string
  fix: string | null
}

interface ReadinessProps {
  readiness: Schema<'SessionReadiness'>
  /** The titles of the roles that have no place. */
  missingRoles: readonly string[]
  facilitator: Schema<'FacilitatorBriefing'> | null
  experiment_id: string | null
}

/** What was checked before the start, and what is still to do. */
export function Readiness(props: ReadinessProps) {
  const { readiness, missingRoles, facilitator, experiment_id } = props
  const checks = readiness.checks
    // Most sessions are in no experiment.
    .filter(({ check, passed }) => check !== 'experiment' || !passed)
    .map((one) =>
      one.check === 'roles' && !one.passed && missingRoles.length > 0
        ? { ...one, message: say('lead.rolesMissing', { roles: missingRoles.join(', ') }) }
        : one,
    )
  // A check says already that its own experiment does not run.
  const warnings = readiness.warnings.filter(
    ({ field, value }) => field !== 'experiment_id' || value !== experiment_id,
  )
  return (
    <section class="card stack tight">
      <h2>{say('lead.readiness')}</h2>
      <Checks checks={checks} />
      {warnings.map((warning) => (
        <Notice key={`${warning.value} ${warning.message}`} kind="warn">
          {warningText(warning, facilitator)}
        </Notice>
      ))}
    </section>
  )
}

/** Returns a warning with the titles of roles, or as the service words what the page does not know. */
function warningText(
  { field, value, message }: Schema<'Warning'>,
  facilitator: Schema<'FacilitatorBriefing'> | null,
): string {
  if (field !== 'participants') return message
  const decision = facilitator?.decision_points.find(({ beat }) => beat === value)
  if (!decision) return message
  const titles = new Map(facilitator?.roles.map(({ role_key, title }) => [role_key, title]))
  const roles = either.format(decision.decided_by.map((key) => titles.get(key) ?? key))
  return say('lead.decidersMissing', { question: decision.question, roles })
}

const either = new Intl.ListFormat(language, { type: 'disjunction' })

interface ChecksProps {
  checks: readonly Check[]
  /** What the words of the page name. */
  values?: Record<string, string | number>
}

/** Checks, those that failed first. */
export function Checks({ checks, values }: ChecksProps) {
  const sorted = [...checks].sort((a, b) => Number(a.passed) - Number(b.passed))
  return (
    <ul class="checks">
      {sorted.map(({ check, passed, message, fix }) => (
        <li key={check} class={passed ? 'passed' : 'failed'}>
          <p>
            <span class="unseen">{passed ? say('lead.passed') : say('lead.notPassed')}: </span>
            {textOf(`lead.${passed ? 'ready' : 'unready'}.${check}`, message, values)}
          </p>
          {fix && (
            <p class="small">
              {say('lead.fix', { fix: textOf(`lead.fix.${check}`, fix, values) })}
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}

/** The words of the page, or those of the service for what the page does not know. */
function textOf(word: string, otherwise: string, values?: ChecksProps['values']): string {
  const text = say(word as Word, values)
  return text === word ? otherwise : text
}

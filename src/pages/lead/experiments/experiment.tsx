import { ConfirmButton } from '../../shared/forms/confirm.js'
import { Notice } from '../../shared/forms/form.js'
import { changeExperiment } from '../calls/experiments.js'
import { Await, useLoaded } from '../elements/loaded.js'
import { may } from '../me.js'
import { href } from '../router.js'
import { Checks } from '../sessions/readiness.js'
import { View } from '../view.js'
import { number, say, type Word } from '../words/words.js'
import { Arms } from './arms.js'
import { Conclude, Freeze } from './conclude.js'
import { type ExperimentRead, readAll } from './experiment-reading.js'
import { ExportData } from './export-data.js'
import { Period } from './period.js'
import { labelOf } from './plan/outcomes.js'
import { Plan } from './plan/plan.js'
import { Results } from './results.js'

/** One experiment: its two arms, how they will be compared, and what came out. */
export function Experiment({ id }: { id: string }) {
  const loaded = useLoaded(() => readAll(id), [id])
  return (
    <View
      title={loaded.data.value?.experiment.name ?? say('lead.experiment')}
      over={<a href={href('experiments')}>← {say('lead.experiments')}</a>}
    >
      <Await loaded={loaded}>{(all) => <Parts all={all} onChange={loaded.load} />}</Await>
    </View>
  )
}

interface PartsProps {
  all: ExperimentRead
  onChange: () => Promise<void>
}

function Parts({ all, onChange }: PartsProps) {
  const { experiment, results, readiness } = all
  const isDraft = experiment.status === 'draft'
  return (
    <div class="stack">
      <p class="row">
        <span class="chip">{say(`lead.experimentStatus.${experiment.status}` as Word)}</span>
        <span>{experiment.hypothesis}</span>
      </p>
      {results.outcomes && (
        <>
          <Results results={results} />
          <Conclude all={all} onChange={onChange} />
        </>
      )}
      <div class="halves">
        <div class="stack">
          <Arms all={all} onChange={onChange} />
          {isDraft && (
            <section class="card stack tight">
              <h2>{say('lead.readiness')}</h2>
              <Checks checks={readiness.checks} values={bestOf(readiness)} />
              {may('updateExperiment') && (
                <>
                  <Period experiment={experiment} onChange={onChange} />
                  <LetRun all={all} onChange={onChange} />
                </>
              )}
            </section>
          )}
        </div>
        <div class="stack">
          <Plan all={all} onChange={onChange} />
          {!results.outcomes && <Freeze all={all} onChange={onChange} />}
          {results.outcomes && may('exportExperimentData') && <ExportData id={experiment._id} />}
        </div>
      </div>
      {warningsOf(results).map((text) => (
        <Notice key={text} kind="warn">
          {text}
        </Notice>
      ))}
    </div>
  )
}

/** The numbers of the check of the smallest p. A reader who may not see the arms does not get it. */
function bestOf({ best_test }: ExperimentRead['readiness']): Record<string, string | number> {
  if (!best_test) return {}
  const { smallest_p, alpha, fewest_sessions: fewest } = best_test
  return { p: number(smallest_p), alpha: number(alpha), fewest }
}

/** The warnings about the results. Before there are any, the plan says itself that it is missing. */
const warningsOf = ({ outcomes, warnings }: ExperimentRead['results']): string[] =>
  warnings.flatMap(({ field, message }) => {
    if (field === 'analysis_plan') return outcomes ? [say('lead.unplanned')] : []
    const outcome = outcomes?.find((one) => one.outcome === field)
    return [outcome ? `${labelOf(outcome)}: ${message}` : message]
  })

function LetRun({ all, onChange }: PartsProps) {
  const { experiment, readiness, results } = all
  const open = readiness.checks.filter(({ passed }) => !passed).length
  const run = async () => {
    await changeExperiment(experiment._id, { status: 'running' })
    await onChange()
  }
  const why = [
    say('lead.letRunWhy'),
    ...(results.plan ? [] : [say('lead.letRunUnplanned')]),
    ...(open > 0 ? [say('lead.letRunOpen', { count: open })] : []),
  ]
  return (
    <div class="row">
      <ConfirmButton
        title={say('lead.letRunTitle')}
        why={why.join(' ')}
        act={run}
        done={say('lead.runs')}
        kind={readiness.ready ? 'primary' : ''}
      >
        {say('lead.letRun')}
      </ConfirmButton>
    </div>
  )
}

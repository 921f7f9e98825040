import type { Schema } from '../../shared/forms/schema.js'
import { ScrollArea } from '../../shared/scroll-area.js'
import { useLoaded } from '../elements/loaded.js'
import { number, say } from '../words/words.js'
import { ArmsChart } from './charts/arms-chart.js'
import { DifferenceChart } from './charts/difference-chart.js'
import { type Row, readRows } from './charts/rows.js'
import { labelOf } from './plan/outcomes.js'

type Outcome = Schema<'OutcomeResult'>

/** What came out: the primary outcome first, then those that must not get worse, then the others. */
export function Results({ results }: { results: Schema<'ExperimentResults'> }) {
  const loaded = useLoaded(() => readRows(results.experiment_id), [results.experiment_id])
  const rows = loaded.data.value ?? []
  const outcomes = results.outcomes ?? []
  const others = outcomes.filter(({ role }) => role === 'exploratory')
  return (
    <section class="stack">
      <h2>{say('lead.results')}</h2>
      <p class="muted small">{say('lead.resultsClock')}</p>
      {outcomes
        .filter(({ role }) => role !== 'exploratory')
        .map((one) => (
          <Figure key={one.outcome} outcome={one} rows={rows} />
        ))}
      {others.length > 0 && (
        <details>
          <summary>{say('lead.exploratory', { count: others.length })}</summary>
          <p class="muted small">{say('lead.exploratoryWhy')}</p>
          <div class="stack">
            {others.map((one) => (
              <Figure key={one.outcome} outcome={one} rows={rows} />
            ))}
          </div>
        </details>
      )}
    </section>
  )
}

function Figure({ outcome, rows }: { outcome: Outcome; rows: readonly Row[] }) {
  const own = rows.filter((row) => row.outcome === outcome.outcome)
  return (
    <section class="card stack tight">
      <h3>{labelOf(outcome)}</h3>
      <p>
        <span class={`chip ${outcome.role === 'primary' ? 'accent' : ''}`}>
          {say(`lead.outcomeRole.${outcome.role}`)}
        </span>
      </p>
      <p>{sentence(outcome)}</p>
      <div class="halves">
        <ArmsChart outcome={outcome} rows={own} />
        <DifferenceChart outcome={outcome} />
      </div>
      <Numbers outcome={outcome} />
    </section>
  )
}

/** The result in a sentence. */
function sentence({ difference, interval, p, method, smallest_p, ...arms }: Outcome): string {
  if (arms.control.n + arms.intervention.n === 0) return say('lead.noData')
  if (difference === null) return say('lead.noDifference')
  const found =
    difference === 0
      ? say('lead.noDifferenceFound')
      : say('lead.differenceIs', { difference: number(difference) })
  if (method === 'not_testable') return `${found} ${say('lead.notTestable')}`
  const range = interval
    ? say('lead.intervalIs', { low: number(interval.low), high: number(interval.high) })
    : ''
  return [found, range, say('lead.pIs', { p: number(p), smallest: number(smallest_p) })].join(' ')
}

const Numbers = ({ outcome }: { outcome: Outcome }) => (
  <ScrollArea class="table-box" label={labelOf(outcome)}>
    <table class="small">
      <thead>
        <tr>
          <th scope="col">{say('lead.armTitle')}</th>
          <th scope="col">{say('lead.sessions')}</th>
          <th scope="col">{say('lead.mean')}</th>
          <th scope="col">{say('lead.deviation')}</th>
        </tr>
      </thead>
      <tbody>
        {(['control', 'intervention'] as const).map((arm) => (
          <tr key={arm}>
            <th scope="row">{say(`lead.arm.${arm}`)}</th>
            <td>{outcome[arm].n}</td>
            <td>{number(outcome[arm].mean)}</td>
            <td>{number(outcome[arm].sd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollArea>
)

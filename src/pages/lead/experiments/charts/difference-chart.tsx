import type { Schema } from '../../../shared/forms/schema.js'
import { number, say } from '../../words/words.js'
import { Axis } from './axis.js'
import { scaleOf } from './scale.js'

const [left, right, width, height] = [20, 380, 400, 150]
const y = 60

/** The difference between the arms with its interval. Zero means no difference. */
export function DifferenceChart({ outcome }: { outcome: Schema<'OutcomeResult'> }) {
  const { difference, interval } = outcome
  if (difference === null) return null
  const ends = [interval?.low, interval?.high].flatMap((end) => end ?? [])
  const scale = scaleOf([0, difference, ...ends], { start: left, end: right })
  const low = interval?.low ?? null
  const high = interval?.high ?? null
  const label = interval
    ? say('lead.intervalIs', { low: number(low), high: number(high) })
    : say('lead.noInterval')
  return (
    <figure class="chart">
      <figcaption class="small muted">{say('lead.differenceChart')}</figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${say('lead.differenceIs', { difference: number(difference) })} ${label}`}
      >
        <Axis scale={scale} left={left} right={right} bottom={height - 30} />
        <line class="zero" x1={scale.at(0)} x2={scale.at(0)} y1="15" y2={height - 30} />
        {interval && (
          <g class="interval">
            <line
              x1={low === null ? left : scale.at(low)}
              x2={high === null ? right : scale.at(high)}
              y1={y}
              y2={y}
            />
            {low !== null && <line x1={scale.at(low)} x2={scale.at(low)} y1={y - 9} y2={y + 9} />}
            {high !== null && (
              <line x1={scale.at(high)} x2={scale.at(high)} y1={y - 9} y2={y + 9} />
            )}
          </g>
        )}
        <circle class="point" cx={scale.at(difference)} cy={y} r="6" />
      </svg>
    </figure>
  )
}

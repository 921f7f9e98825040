import type { Schema } from '../../../shared/forms/schema.js'
import { number, say } from '../../words/words.js'
import { Axis } from './axis.js'
import type { Row } from './rows.js'
import { scaleOf } from './scale.js'

const arms = ['control', 'intervention'] as const
const [left, right, width, height] = [110, 380, 400, 150]

interface ArmsChartProps {
  outcome: Schema<'OutcomeResult'>
  rows: readonly Row[]
}

/** The value of each session as a dot, and the mean of each arm as a line. */
export function ArmsChart({ outcome, rows }: ArmsChartProps) {
  const means = arms.flatMap((arm) => outcome[arm].mean ?? [])
  const values = [...means, ...rows.flatMap(({ value }) => value ?? [])]
  if (means.length === 0) return null
  // Counts, shares and minutes are never negative; ratings may be.
  const lowest = values.every((value) => value >= 0) ? 0 : -Infinity
  const scale = scaleOf(values, { start: left, end: right, lowest })
  const label = arms
    .map((arm) =>
      say('lead.armMean', { arm: say(`lead.arm.${arm}`), mean: number(outcome[arm].mean) }),
    )
    .join(' ')
  return (
    <figure class="chart">
      <figcaption class="small muted">{say('lead.armsChart')}</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
        <Axis scale={scale} left={left} right={right} bottom={height - 30} />
        {arms.map((arm, index) => {
          const y = 30 + index * 50
          const { mean } = outcome[arm]
          return (
            <g key={arm} class={`arm ${arm}`}>
              <text x={left - 10} y={y + 4} text-anchor="end">
                {say(`lead.arm.${arm}`)}
              </text>
              {rows
                .filter((row) => row.arm === arm && row.value !== null)
                .map((row, dot) => (
                  <circle
                    key={dot}
                    cx={scale.at(row.value ?? 0)}
                    cy={y + ((dot % 3) - 1) * 7}
                    r="5"
                  />
                ))}
              {mean !== null && (
                <line
                  class="mean"
                  x1={scale.at(mean)}
                  x2={scale.at(mean)}
                  y1={y - 18}
                  y2={y + 18}
                />
              )}
            </g>
          )
        })}
      </svg>
    </figure>
  )
}

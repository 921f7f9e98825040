import { number } from '../../words/words.js'
import type { Scale } from './scale.js'

interface AxisProps {
  scale: Scale
  left: number
  right: number
  bottom: number
}

/** The line under a chart, with its ticks. */
export const Axis = ({ scale, left, right, bottom }: AxisProps) => (
  <g class="axis">
    <line x1={left} x2={right} y1={bottom} y2={bottom} />
    {scale.ticks.map((tick) => (
      <g key={tick}>
        <line x1={scale.at(tick)} x2={scale.at(tick)} y1={bottom} y2={bottom + 5} />
        <text x={scale.at(tick)} y={bottom + 20} text-anchor="middle">
          {number(tick)}
        </text>
      </g>
    ))}
  </g>
)

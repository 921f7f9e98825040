import { Writing } from '../../../shared/forms/form.js'
import { Scale, type Value } from '../../../shared/forms/scale.js'
import type { Schema } from '../../../shared/forms/schema.js'
import { say } from '../../words/words.js'

interface CriterionProps {
  item: Schema<'RubricItem'>
  /** The participant whom it is about; without one it is about the team. */
  name?: string | undefined
  value: Value | undefined
  comment: string
  onValue: (value: Value) => void
  onComment: (comment: string) => void
}

/** One criterion of the rubric, with the control that fits its scale. */
export function Criterion({ item, name, value, comment, onValue, onComment }: CriterionProps) {
  const { criterion, question, scale } = item
  return (
    <section class="card stack tight">
      {name ? <h3>{criterion}</h3> : <h2>{criterion}</h2>}
      <Scale question={question} scale={scale} value={value} onValue={onValue} />
      {comment && <p class="printed text">{comment}</p>}
      <details open={comment !== ''} class="unprinted">
        <summary>{say('lead.comment')}</summary>
        <Writing
          label={say('lead.commentOn', { criterion: name ? `${question} (${name})` : question })}
          isLabelHidden
          rows={2}
          maxLength={10_000}
          value={comment}
          onInput={onComment}
        />
      </details>
    </section>
  )
}

import type { RubricItem, Scenario } from '../../../src/blueprints/catalogue/entries.js'
import { html, type Markup } from './html.js'
import type { Pack } from './pack.js'
import { wordsOf } from './run-sheet.js'

/** What an observer watches for, with space for notes, and the rubric to rate with. */
export function observerSheet({ scenario: { observer = [] }, bundle }: Pack): Markup | undefined {
  const rubric = bundle.experiment.metadata.rubric as RubricItem[]
  if (observer.length === 0 && rubric.length === 0) return undefined
  return html`<section class="trainers observer">
<h2>The observer’s sheet</h2>
${observer.length > 0 && notes(observer)}
${
  rubric.length > 0 &&
  html`<h3>Rubric</h3>
${rubric.map(ratedItem)}`
}
</section>`
}

const notes = (observer: NonNullable<Scenario['observer']>) => html`<table class="notes">
<thead><tr><th class="minutes">Minutes</th><th>Watch for</th><th>What you saw and heard</th></tr></thead>
<tbody>${observer.map(
  ({ from_minute, to_minute, watch }) =>
    html`<tr><td class="minutes">${from_minute} to ${to_minute}</td><td>${watch}</td><td></td></tr>`,
)}</tbody>
</table>`

function ratedItem({ criterion, question, rater, evidence, scale }: RubricItem): Markup {
  const { levels = [] } = scale
  const about = [rater && `rated by: ${rater}`, evidence && `look at: ${wordsOf(evidence)}`].filter(
    Boolean,
  )
  return html`<div class="rubric">
<h4>${criterion}</h4>
<p>${question}${about.length > 0 && ` (${about.join('; ')})`}</p>
${
  levels.length > 0 &&
  html`<table><tbody>
<tr>${levels.map(({ value, label }) => html`<th>${value} ${label}</th>`)}</tr>
<tr>${levels.map(({ description }) => html`<td>${description}</td>`)}</tr>
</tbody></table>`
}
<p>${ratingText(scale)}Evidence:</p>
<div class="lines"></div>
</div>`
}

/** Where to write the rating. One in words is all evidence. */
const ratingText = ({ type, min, max, unit }: RubricItem['scale']): Markup | undefined => {
  if (type === 'text') return undefined
  const bounds = min !== undefined && max !== undefined && ` from ${min} to ${max}`
  return html`Rating${type === 'boolean' ? ', yes or no' : bounds}${unit !== undefined && ` ${unit}`}: ____________ `
}

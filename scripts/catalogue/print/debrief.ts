import type { Scenario } from '../../../src/blueprints/catalogue/entries.js'
import { html, type Markup } from './html.js'
import { wordsOf } from './run-sheet.js'

/** The questions of the debrief, with space for notes. */
export function debriefPage({ debrief = [], beats = [] }: Scenario): Markup | undefined {
  const spare = beats.filter(({ debrief_question }) => !debrief.includes(debrief_question))
  if (debrief.length === 0 && spare.length === 0) return undefined
  return html`<section class="trainers debrief">
<h2>Debrief</h2>
${
  debrief.length > 0 &&
  html`<table class="notes">
<thead><tr><th>Question</th><th>What they say</th></tr></thead>
<tbody>${debrief.map((question) => html`<tr><td>${question}</td><td></td></tr>`)}</tbody>
</table>`
}
${
  spare.length > 0 &&
  html`<h3>If there is time</h3>
<dl>${spare.map(
    ({ beat, debrief_question }) => html`<dt>${wordsOf(beat)}</dt><dd>${debrief_question}</dd>`,
  )}</dl>`
}
</section>`
}

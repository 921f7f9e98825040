import type { Scenario } from '../../../src/blueprints/catalogue/entries.js'
import { html, type Markup } from './html.js'
import { decidersOf } from './roles.js'

/** A card for each decision, with its options and their costs. */
export const decisionCards = (scenario: Scenario): Markup[] =>
  (scenario.decision_points ?? []).map(
    ({ question, decided_by, deadline_minutes, options }) => html`<section class="card decision">
<p class="over">A decision</p>
<h2>${question}</h2>
<dl>
<dt>Who decides</dt><dd>${decidersOf(scenario, decided_by)}${decided_by.length > 0 && '. The others advise.'}</dd>
<dt>Time to decide</dt><dd>${minutesText(deadline_minutes)}</dd>
</dl>
<h3>Choose one</h3>
${options.map(
  ({ label, cost }) => html`<div class="option">
<p class="label"><span class="box"></span>${label}</p>
<p>What it costs: ${cost}</p>
</div>`,
)}
<h3>Why?</h3>
<div class="lines"></div><div class="lines"></div>
</section>`,
  )

export const minutesText = (minutes: number): string =>
  minutes === 1 ? '1 minute' : `${minutes} minutes`

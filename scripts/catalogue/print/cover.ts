import { html, type Markup } from './html.js'
import type { Pack } from './pack.js'
import { wordsOf } from './run-sheet.js'

/** The first page of those who lead: what this pack is, and who gets which part. */
export function cover({ scenario, bundle, arm, organization }: Pack): Markup {
  const { label, description, intervention, experiment, decision_points = [] } = scenario
  const { participant_roles = [], artefacts = [] } = scenario
  return html`<section class="trainers cover">
${organization !== undefined && html`<p class="over">${organization}</p>`}
<h1>${label}</h1>
<p>The trainers’ pack</p>
<p>${description}</p>
<h3>As it is set up</h3>
<dl>
<dt>Characters</dt><dd>${bundle.team_size}</dd>
<dt>Arm</dt><dd>${arm}</dd>
${Object.entries(bundle.models).map(
  ([field, value]) => html`<dt>${capitalised(wordsOf(field))}</dt><dd>${wordsOf(value)}</dd>`,
)}
<dt>Catalogue</dt><dd>${bundle.catalogue_version}</dd>
</dl>
${
  bundle.warnings.length > 0 &&
  html`<h3>Warnings</h3>
<ul>${bundle.warnings.map(
    ({ field, value, message }) => html`<li>${wordsOf(field)} ${wordsOf(value)}: ${message}</li>`,
  )}</ul>`
}
<h3>What is in it, and who gets it</h3>
<dl>
<dt>The situation</dt><dd>all participants, before the start</dd>
${participant_roles.length > 0 && html`<dt>${countOf(participant_roles, 'role card')}</dt><dd>each for its own person only</dd>`}
${decision_points.length > 0 && html`<dt>${countOf(decision_points, 'decision card')}</dt><dd>all participants, when the decision is asked</dd>`}
${artefacts.length > 0 && html`<dt>Documents</dt><dd>all participants, at the minute in the run sheet</dd>`}
<dt>All other pages</dt><dd>trainers and observers only. They say so at the top.</dd>
</dl>
<h3>What it examines</h3>
<dl>
<dt>Hypothesis</dt><dd>${experiment.hypothesis}</dd>
<dt>Intervention</dt><dd>${intervention ?? 'none'}</dd>
<dt>Measures</dt><dd>${experiment.measures.map(({ label }) => label).join('; ')}</dd>
</dl>
</section>`
}

const countOf = ({ length }: unknown[], what: string) =>
  `${length} ${what}${length === 1 ? '' : 's'}`

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

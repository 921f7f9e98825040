import type { Scenario } from '../../../src/blueprints/catalogue/entries.js'
import { html, type Markup } from './html.js'

const questions = [
  'What did we want to happen?',
  'What happened?',
  'Why was there a difference?',
  'What do we keep, and what do we change?',
]

/** A page to fill in after the drill. */
export const afterActionPage = ({ label, decision_points = [] }: Scenario): Markup =>
  html`<section class="trainers after-action">
<h2>After the drill: ${label}</h2>
<table class="blank head"><tbody>
<tr><th>Date</th><td></td><th>Team</th><td></td></tr>
<tr><th>Trainer</th><td></td><th>Observer</th><td></td></tr>
</tbody></table>
${
  decision_points.length > 0 &&
  html`<table class="ended">
<thead><tr><th>Decision</th><th>How it ended</th><th>Minute</th></tr></thead>
<tbody>${decision_points.map(
    ({ question, options }) =>
      html`<tr><td>${question}</td><td>${options.map(
        ({ label: choice }) => html`<div class="choice"><span class="box"></span>${choice}</div>`,
      )}<div class="choice"><span class="box"></span>no one decided</div></td><td></td></tr>`,
  )}</tbody>
</table>`
}
${questions.map((question) => html`<h4>${question}</h4><div class="lines"></div><div class="lines"></div>`)}
<h4>On Monday we will</h4>
<table class="blank">
<thead><tr><th>Who</th><th>What</th><th>By when</th></tr></thead>
<tbody><tr><td></td><td></td><td></td></tr><tr><td></td><td></td><td></td></tr><tr><td></td><td></td><td></td></tr></tbody>
</table>
</section>`

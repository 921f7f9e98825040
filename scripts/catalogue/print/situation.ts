import { html, type Markup } from './html.js'
import type { Pack } from './pack.js'
import { prose } from './prose.js'

/** The page that all participants read before the start. */
export function situationPage({ scenario, bundle, organization }: Pack): Markup {
  const { label, description, situation, channels } = scenario
  return html`<section class="situation">
<p class="over">${[organization, label].filter(Boolean).join(' · ')}</p>
<h1>The situation</h1>
${
  situation
    ? html`${prose(situation.place)}
<h3>What is at stake</h3>
${prose(situation.stakes)}
<h3>Who is who</h3>
${prose(situation.people)}`
    : html`<p>${description}</p>`
}
<div class="beside">
<div><h3>Who writes to you</h3>
<dl>${bundle.characters.map(
    ({ full_name, career_goals: { current_role, department } }) =>
      html`<dt>${full_name}</dt><dd>${current_role}, ${department}</dd>`,
  )}</dl></div>
<div><h3>Channels</h3>
<dl>${channels.map(({ channel_name, purpose }) => html`<dt>#${channel_name}</dt><dd>${purpose}</dd>`)}</dl></div>
</div>
${
  situation &&
  html`<h3>Words of this place</h3>
<dl>${situation.terms.map(({ term, meaning }) => html`<dt>${term}</dt><dd>${meaning}</dd>`)}</dl>`
}
</section>`
}

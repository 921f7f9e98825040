import type { DecisionPoint, Scenario } from '../../../src/blueprints/catalogue/entries.js'
import { html, type Markup } from './html.js'
import { prose } from './prose.js'

type ParticipantRole = NonNullable<Scenario['participant_roles']>[number]

/** The card of one role, with what only this role knows. */
export const roleCard = (scenario: Scenario, role: ParticipantRole): Markup =>
  html`<section class="card role">
<p class="over">Your role</p>
<h2>${role.title}</h2>
${prose(role.brief)}
${decisionsOf(scenario, role)}
<h3>Your goal</h3>
${prose(role.goal)}
<h3>Only you know this</h3>
${prose(role.private_information)}
</section>`

/** What everyone may know about all roles. */
export function rolesPage(scenario: Scenario): Markup | undefined {
  const { participant_roles = [] } = scenario
  if (participant_roles.length === 0) return undefined
  return html`<section>
<h2>Your roles</h2>
${participant_roles.map(
  (role) => html`<div class="option">
<h3>${role.title}</h3>
${prose(role.brief)}
${decisionsOf(scenario, role)}
</div>`,
)}
</section>`
}

function decisionsOf(scenario: Scenario, { role_key }: ParticipantRole): Markup {
  const { decision_points = [] } = scenario
  const own = decision_points.filter(
    ({ decided_by }) => decided_by.length === 0 || decided_by.includes(role_key),
  )
  if (own.length === 0) return html`<p>This role advises. It makes no decision.</p>`
  return html`<h4>What this role may decide</h4>
<ul>${own.map((decision) => html`<li>${decision.question} ${withOthers(scenario, decision)}</li>`)}</ul>`
}

const withOthers = (scenario: Scenario, { decided_by }: DecisionPoint): string =>
  decided_by.length === 1 ? '' : `(${decidersOf(scenario, decided_by)})`

/** Who may decide, in words. */
export function decidersOf(
  { participant_roles = [] }: Scenario,
  decided_by: DecisionPoint['decided_by'],
): string {
  const titles = decided_by.map(
    (key) => participant_roles.find(({ role_key }) => role_key === key)?.title ?? key,
  )
  return titles.length === 0 ? 'anyone who takes part' : titles.join(' or ')
}

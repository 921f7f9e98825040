import { afterActionPage } from './after-action.js'
import { cover } from './cover.js'
import { debriefPage } from './debrief.js'
import { decisionCards } from './decision-cards.js'
import { documents } from './documents.js'
import { html, type Markup } from './html.js'
import { observerSheet } from './observer.js'
import { outcomePages } from './outcomes.js'
import type { Pack } from './pack.js'
import { roleCard, rolesPage } from './roles.js'
import { runSheet } from './run-sheet.js'
import { situationPage } from './situation.js'
import { style, trainerStyle } from './style.js'

/** The pack of those who lead, as a page of HTML. */
export function trainerPack(pack: Pack): string {
  const { scenario } = pack
  const { participant_roles = [] } = scenario
  return page(pack, trainerStyle, [
    cover(pack),
    runSheet(pack),
    situationPage(pack),
    ...participant_roles.map((role) => roleCard(scenario, role)),
    ...decisionCards(scenario),
    ...documents(pack),
    observerSheet(pack),
    outcomePages(pack),
    debriefPage(scenario),
    afterActionPage(scenario),
  ])
}

/** What all participants may read, as a page of HTML, and the card of one role if it is named. */
export function participantPack(pack: Pack, role_key?: string): string {
  const { scenario } = pack
  const own = scenario.participant_roles?.find((role) => role.role_key === role_key)
  return page(pack, undefined, [
    situationPage(pack),
    rolesPage(scenario),
    own && roleCard(scenario, own),
    ...decisionCards(scenario),
    ...documents(pack),
  ])
}

function page(
  { scenario, organization }: Pack,
  more: Markup | undefined,
  sheets: (Markup | undefined)[],
): string {
  const title = [scenario.label, organization].filter(Boolean).join(', ')
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
${style}${more}
</head>
<body>
${sheets}
</body>
</html>`.text
}

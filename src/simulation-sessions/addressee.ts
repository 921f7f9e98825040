import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import { listed, type Rendered, render, type Values } from '../channel-templates/variables.js'
import type { Database } from '../database/schema.js'
import { selectOrganization } from '../organizations/queries.js'
import { selectAssignments } from './participant-queries.js'
import type { StoredSession } from './queries.js'

/** Writes texts as the team of a session reads them: variables of the user name all of it. */
export async function renderForTeam(
  trx: Transaction<Database>,
  { scenarioLabel }: Pick<FastifyInstance, 'scenarioLabel'>,
  { organization_id, _id: session_id, scenario_name }: StoredSession,
): Promise<(text: string) => Rendered> {
  const team = await selectAssignments(trx, { organization_id, session_id })
  const { name, branding } = await selectOrganization(trx, organization_id)
  const names = team.map(({ full_name, username }) => full_name?.trim() || username)
  const values: Values = {
    'user.first_name': listed(names.map((one) => one.split(/\s/)[0] ?? one)),
    'user.full_name': listed(names),
    'organization.company_name': branding.company_name ?? name,
    'scenario.name': scenarioLabel(scenario_name),
  }
  return (text) => render(text, values)
}

import type { FastifyInstance } from 'fastify'
import {
  listed,
  type Rendered,
  render,
  type Values,
} from '../../channel-templates/linting/variables.js'
import type { Trx } from '../../database/schema.js'
import { selectOrganization } from '../../organizations/queries.js'
import type { StoredSession } from '../queries.js'
import { selectPlaces } from '../team/participant-queries.js'

/** Returns a renderer of texts for the team of a session: user variables list all active participants. */
export async function renderForTeam(
  trx: Trx,
  { scenarioLabel }: Pick<FastifyInstance, 'scenarioLabel'>,
  { organization_id, _id: session_id, scenario_name }: StoredSession,
): Promise<(text: string) => Rendered> {
  const places = await selectPlaces(trx, { organization_id, session_id })
  const team = places.filter(({ is_active }) => is_active)
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

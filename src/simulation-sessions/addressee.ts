import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import type { Message, Post } from '../channel-templates/messages.js'
import { render, type Values } from '../channel-templates/variables.js'
import type { Database } from '../database/schema.js'
import { selectOrganization } from '../organizations/queries.js'
import { selectAssignments } from './participant-queries.js'
import type { StoredSession } from './queries.js'

/** Messages as this team reads them: of several people, variables name all. */
export async function addressTeam(
  trx: Transaction<Database>,
  { scenarioLabel }: Pick<FastifyInstance, 'scenarioLabel'>,
  { organization_id, _id: session_id, scenario_name }: StoredSession,
): Promise<(message: Message) => Message> {
  const team = await selectAssignments(trx, { organization_id, session_id })
  const { name, branding } = await selectOrganization(trx, organization_id)
  const names = team.map(({ full_name, username }) => full_name?.trim() || username)
  const values: Values = {
    'user.first_name': listed(names.map((one) => one.split(/\s/)[0] ?? one)),
    'user.full_name': listed(names),
    'organization.company_name': branding.company_name ?? name,
    'scenario.name': scenarioLabel(scenario_name),
  }
  const read = <P extends Post>(post: P): P => ({ ...post, content: render(post.content, values) })
  return (message) => ({ ...read(message), thread_replies: message.thread_replies.map(read) })
}

const listed = (names: string[]) =>
  names.length === 0 ? 'everyone' : new Intl.ListFormat('en').format(names)

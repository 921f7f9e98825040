import type { Expression } from 'kysely'
import { sql } from 'kysely'
import type { Scope } from '../../database/scope.js'

type UserId = string | null | Expression<string>

/** Whether a user is a participant of a listed session. */
export const hasParticipant = (user_id: UserId) => sql<boolean>`exists (
  select from session_assignments as assignment
  where assignment.organization_id = simulation_sessions.organization_id
    and assignment.session_id = simulation_sessions._id and assignment.user_id = ${user_id}::uuid
    and assignment.removed_at is null)`

/**
 * Whether a user is a participant, a rater or a character of a listed session. Before the start the
 * cast is that of `selectCast`: from the setup of the scenario or from its templates. PostgreSQL reads
 * these once for a list, not once for each session.
 */
export function hasMember(
  scope: Scope<string | Expression<string>>,
  { member_id, rater_id, bot_id }: Record<'member_id' | 'rater_id' | 'bot_id', UserId>,
) {
  const organization_id = scope === 'every organization' ? null : scope.organization_id
  const isExpected = sql`or started_at is null and scenario_name in (
    select setup.scenario_type from characters
    join blueprint_setups as setup
      on setup.organization_id = characters.organization_id and setup._id = characters.setup_id
    where characters.organization_id = ${organization_id} and characters.user_id = ${bot_id}::uuid
    union all
    select template.scenario_name from channel_templates as template
    where template.organization_id = ${organization_id} and template.is_active
      and template.sender_ids ? ${bot_id}::text)`
  return sql<boolean>`(
    ${rater_id}::text = any(rater_ids) or ${member_id}::text = any(cast_ids)
    or ${hasParticipant(member_id)}
    ${bot_id === null ? sql`` : isExpected})`
}

import type { Expression } from 'kysely'
import { sql } from 'kysely'
import type { Role } from '../../contract.js'
import type { Db } from '../../database/schema.js'
import { type ParametersOf, prepare } from '../../database/statements.js'
import { leadingRoles } from '../../identity/roles.js'
import type { OfSession } from '../queries.js'
import { placeColumns, type StoredPlace } from './participant-queries.js'

export type PartKind = 'trainer' | 'rater' | 'participant' | 'character'

/** The role of a caller in a session. A trainer who takes part has a place too. */
export interface SessionPart {
  kind: PartKind
  place: StoredPlace | null
}

/** The role of those who can be raters of a session. */
export const raterRole = 'executive' satisfies Role

type Value = string | null | Expression<string>

interface Asked {
  /** The name of the session in the statement. */
  session: string
  user_id: Value
  role: Value
  /** Whether the user is a participant. */
  isParticipant: Expression<boolean>
  /** Whether the user is in the cast of the scenario: it counts until the session starts. */
  isInCast: Expression<boolean>
}

/**
 * The part that a user has in a session of their organization; null if they have none. Requests, lists
 * and streams all ask this. Only streams ask for participants who have joined and not left: removing one
 * also sets `left_at`.
 */
export function partIn({ session, user_id, role, isParticipant, isInCast }: Asked) {
  const column = (name: string) => sql.ref(`${session}.${name}`)
  return sql<PartKind | null>`case
    when ${role}::text = 'bot' then case when
      case when ${column('started_at')} is null then ${isInCast}
        else ${user_id}::text = any(${column('cast_ids')}) end
      then 'character' end
    when ${role}::text in (${sql.join(leadingRoles.map(sql.lit))}) then 'trainer'
    when ${role}::text = ${sql.lit(raterRole)} and ${user_id}::text = any(${column('rater_ids')})
      then 'rater'
    when ${isParticipant} then 'participant' end`
}

/**
 * Whether a bot is in the cast of the session's scenario, as `isInCast` finds it. For a list, PostgreSQL
 * finds the scenarios of the bot once; for one session it reads only the templates of its scenario.
 */
function isInCastOf(session: string, organization_id: Value, bot_id: Value, isList: boolean) {
  const scenario = sql.ref(`${session}.scenario_name`)
  return sql<boolean>`${scenario} in (
    select setup.scenario_type from characters
    join blueprint_setups as setup
      on setup.organization_id = characters.organization_id and setup._id = characters.setup_id
    where characters.organization_id = ${organization_id} and characters.user_id = ${bot_id}::uuid
    union all
    select template.scenario_name from channel_templates as template
    where template.organization_id = ${organization_id} and template.is_active
      ${isList ? sql`` : sql`and template.scenario_name = ${scenario}`}
      and template.sender_ids ? ${bot_id}::text)`
}

/** Whether a user is a participant of a listed session. */
export const hasParticipant = (user_id: Value) => sql<boolean>`exists (
  select from session_assignments as place
  where place.organization_id = simulation_sessions.organization_id
    and place.session_id = simulation_sessions._id and place.user_id = ${user_id}::uuid
    and place.removed_at is null)`

/** Whether a user has a part in a listed session of an organization. */
export function hasPart(
  organization_id: Value,
  { user_id, role }: Record<'user_id' | 'role', Value>,
) {
  const part = partIn({
    session: 'simulation_sessions',
    user_id,
    role,
    isParticipant: hasParticipant(user_id),
    isInCast: isInCastOf('simulation_sessions', organization_id, user_id, true),
  })
  return sql<boolean>`${part} is not null`
}

interface User extends OfSession {
  user_id: string
  role: Role
}

const selectKindAndPlace = prepare(
  'select_part',
  (db, { organization_id, session_id, user_id, role }: ParametersOf<User>) =>
    db
      .selectFrom('simulation_sessions as session')
      .leftJoin('session_assignments as place', (join) =>
        join
          .onRef('place.organization_id', '=', 'session.organization_id')
          .onRef('place.session_id', '=', 'session._id')
          .on('place.user_id', '=', user_id)
          .on('place.removed_at', 'is', null),
      )
      .select(placeColumns.map((name) => `place.${name}` as const))
      .select(
        partIn({
          session: 'session',
          user_id,
          role,
          isParticipant: sql`place._id is not null`,
          isInCast: isInCastOf('session', organization_id, user_id, false),
        }).as('kind'),
      )
      .where('session.organization_id', '=', organization_id)
      .where('session._id', '=', session_id),
)

/** The part of a user in a session of their organization; null if they have none. */
export async function selectPart(db: Db, user: User): Promise<SessionPart | null> {
  const [row] = await selectKindAndPlace(db, user)
  if (!row?.kind) return null
  const { kind, ...place } = row
  return { kind, place: place._id === null ? null : (place as StoredPlace) }
}

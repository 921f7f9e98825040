import type { Role, Schema } from '../contract.js'
import { jsonb } from '../database/expressions.js'
import { createId } from '../formats/identifiers.js'
import { addressIn } from '../identity/email.js'
import type { IgnoredField } from '../ignored-fields.js'
import type { NewUser } from '../users/queries.js'
import { usernameFromEmail } from '../users/username.js'

const defaultWorkdays = {
  workdays: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
  work_hours: { start: '09:00', end: '17:00' },
}

/**
 * The new user of an invitation. An unknown access level becomes the role with the fewest rights, and
 * is kept in `metadata`.
 */
export function memberFromInvitation(organization_id: string, body: Schema<'Invitation'>) {
  const { access_level, job_title, department } = body
  const known = access_level ? roleForAccessLevel(access_level) : 'employee'
  const role = known ?? 'employee'
  const email = addressIn(body.email)
  return {
    organization_id,
    _id: createId(),
    username: usernameFromEmail(email),
    email,
    full_name: `${body.first_name.trim()} ${body.last_name.trim()}`.trim(),
    role,
    is_bot: role === 'bot',
    career_goals: jsonb({
      ...(job_title && { current_role: job_title }),
      ...(department && { department }),
    }),
    metadata: jsonb({
      ...(body.auto_assign_default_workdays && defaultWorkdays),
      ...(access_level && !known && { access_level }),
    }),
  } satisfies NewUser
}

const roleByLevel = new Map<string, Role>([
  ['employee', 'employee'],
  ['member', 'employee'],
  ['user', 'employee'],
  ['standard', 'employee'],
  ['manager', 'executive'],
  ['lead', 'executive'],
  ['executive', 'executive'],
  ['hr', 'hr'],
  ['human_resources', 'hr'],
  ['admin', 'admin'],
  ['administrator', 'admin'],
  ['bot', 'bot'],
])

/** The role of an access level. Undefined if it is unknown. */
function roleForAccessLevel(access_level: string): Role | undefined {
  return roleByLevel.get(access_level.trim().toLowerCase())
}

/** Whether a row of a list invites a person, and not a bot. */
export function isOfPerson(row: unknown): boolean {
  const level: unknown = Reflect.get(Object(row), 'access_level')
  return typeof level !== 'string' || roleForAccessLevel(level) !== 'bot'
}

/** The access level of an invitation, if it is unknown and replaced by `employee`. */
export function unknownLevel(invitation: unknown, loc: string[]): IgnoredField[] {
  const level: unknown = Reflect.get(Object(invitation), 'access_level')
  if (typeof level !== 'string' || !level || roleForAccessLevel(level)) return []
  return [{ loc: [...loc, 'access_level'], used: 'employee' }]
}

const grantableBy: Partial<Record<Role, readonly Role[]>> = {
  super_admin: ['admin', 'hr', 'executive', 'employee', 'bot'],
  admin: ['admin', 'hr', 'executive', 'employee', 'bot'],
  hr: ['executive', 'employee'],
}

/** Whether the role `granter` may give users a role. */
export function mayGrant(granter: Role, role: Role): boolean {
  return grantableBy[granter]?.includes(role) ?? false
}

/** The roles that may give users a role, for the answer to a caller who may not. */
export function grantersOf(role: Role): Role[] {
  const granters: Role[] = ['super_admin', 'admin', 'hr']
  return granters.filter((granter) => mayGrant(granter, role))
}

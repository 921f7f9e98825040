import type { Schema } from '../contract.js'
import { jsonb } from '../database/expressions.js'
import { createId } from '../identifiers.js'
import type { NewUser } from '../users/queries.js'
import { usernameFromEmail } from '../users/username.js'
import { roleForAccessLevel } from './access-level.js'

const defaultWorkdays = {
  workdays: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
  work_hours: { start: '09:00', end: '17:00' },
}

/**
 * The user that an invitation asks for. An access level that means no role gives the least
 * privilege and is kept as it was said.
 */
export function memberFromInvitation(organization_id: string, body: Schema<'Invitation'>) {
  const { access_level, job_title, department } = body
  const known = access_level ? roleForAccessLevel(access_level) : 'employee'
  const role = known ?? 'employee'
  const email = body.email.trim()
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

import { type AuditEvent, changesBetween } from '../audit-events/record.js'
import type { Role, Schema } from '../contract.js'
import { insufficientRole } from '../errors.js'
import { valueError } from '../faults.js'
import { mergeMetadata, updatedText } from '../updates.js'
import { certificationItem, educationItem } from './profile.js'

type Update = Schema<'UserUpdate'>

/** A user as stored, with every field of the contract. */
export interface StoredUser {
  _id: string
  organization_id: string
  role: Role
  is_active: boolean
  full_name: string | null
  avatar_url: string | null
  bio: string | null
  education: Schema<'Education'>[]
  certifications: Schema<'Certification'>[]
  hobbies: string[]
  career_goals: Schema<'CareerGoal'>
  metadata: Record<string, unknown>
  updated_at: string
}

const belowHr: readonly Role[] = ['executive', 'employee']

/**
 * Throws 403 for a change that the caller may not make. Everyone may change their own profile. Admins
 * may change all users. hr may change executives and employees, but not give them a higher role.
 */
export function checkMayUpdate(
  caller: { user_id: string; role: Role },
  target: StoredUser,
  { role, is_active, metadata }: Update,
): void {
  if (caller.role === 'super_admin') return
  const isProfileOnly = (role ?? is_active ?? metadata ?? null) === null
  if (caller.user_id === target._id && isProfileOnly) return
  if (target.role === 'super_admin') throw insufficientRole(['super_admin'])
  if (caller.role === 'admin') return
  const hrMay = !metadata && belowHr.includes(target.role) && belowHr.includes(role ?? target.role)
  if (caller.role === 'hr' && hrMay) return
  throw insufficientRole(hrMay ? ['super_admin', 'admin', 'hr'] : ['super_admin', 'admin'])
}

/** The user after an update. Null leaves a field as it is. */
export function applyUpdate(stored: StoredUser, update: Update): StoredUser {
  const { education, certifications, hobbies, career_goals, metadata } = update
  const role = update.role ?? stored.role
  if (role !== stored.role && (stored.role === 'bot' || stored.role === 'super_admin')) {
    throw valueError(['body', 'role'], 'role_fixed', `the role ${stored.role} cannot be changed`)
  }
  return {
    ...stored,
    role,
    is_active: update.is_active ?? stored.is_active,
    full_name: updatedText(stored.full_name, update.full_name),
    avatar_url: updatedText(stored.avatar_url, update.avatar_url),
    bio: updatedText(stored.bio, update.bio),
    education: education?.map(educationItem) ?? stored.education,
    certifications: certifications?.map(certificationItem) ?? stored.certifications,
    hobbies: hobbies ?? stored.hobbies,
    career_goals: mergeGoals(stored.career_goals, career_goals ?? {}),
    metadata: metadata ? mergeMetadata(stored.metadata, metadata) : stored.metadata,
  }
}

function mergeGoals(
  stored: Schema<'CareerGoal'>,
  update: NonNullable<Update['career_goals']>,
): Schema<'CareerGoal'> {
  const merged = { ...stored }
  const names = [
    'dream_job',
    'experience_level',
    'career_goal',
    'current_role',
    'department',
  ] as const
  for (const name of names) {
    const wanted = updatedText(stored[name] ?? null, update[name])
    if (wanted === null) delete merged[name]
    else merged[name] = wanted
  }
  return merged
}

/** The audit events of an update, one for each kind of change. */
export function updateEvents(before: StoredUser, after: StoredUser): AuditEvent[] {
  const { role, is_active, ...profile } = changesBetween(before, after)
  const { _id: user_id, organization_id } = before
  const event = { organization_id, category: 'user', metadata: { user_id } }
  const events: AuditEvent[] = []
  if (Object.keys(profile).length > 0) {
    events.push({ ...event, event_type: 'user_updated', changes: profile })
  }
  if (role) events.push({ ...event, event_type: 'user_role_changed', changes: { role } })
  if (is_active) {
    const event_type = after.is_active ? 'user_reactivated' : 'user_deactivated'
    events.push({ ...event, event_type, changes: { is_active } })
  }
  return events
}

/** Whether an update removes an active admin. */
export function losesAdmin(before: StoredUser, after: StoredUser): boolean {
  const isAdmin = (user: StoredUser) => user.role === 'admin' && user.is_active
  return isAdmin(before) && !isAdmin(after)
}

/** Whether an update gives a role that hr may not give. */
export function givesHighRole(before: StoredUser, after: StoredUser): boolean {
  return after.role !== before.role && !belowHr.includes(after.role)
}

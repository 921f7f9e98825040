import { timestamp } from '../database/expressions.js'

/** What everybody may see of a colleague. */
export const directoryColumns = [
  '_id',
  'username',
  'email',
  'organization_id',
  'full_name',
  'role',
  'is_bot',
  'is_active',
  'avatar_url',
  'bio',
  timestamp('users', 'created_at'),
  timestamp('users', 'updated_at'),
] as const

/** The contract's User. */
export const userColumns = [
  ...directoryColumns,
  'education',
  'certifications',
  'hobbies',
  'career_goals',
  'metadata',
  timestamp('users', 'last_seen'),
] as const

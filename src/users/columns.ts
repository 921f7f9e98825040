import { sql } from 'kysely'
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
  timestamp('created_at').as('created_at'),
  timestamp('updated_at').as('updated_at'),
] as const

/** The contract's User. */
export const userColumns = [
  ...directoryColumns,
  'education',
  'certifications',
  'hobbies',
  'career_goals',
  'metadata',
  sql<string | null>`${timestamp('last_seen')}`.as('last_seen'),
] as const

import { sql } from 'kysely'
import { timestamp } from '../database/expressions.js'

/** The contract's Experiment, but for its warnings. */
export const experimentColumns = [
  '_id',
  'organization_id',
  'name',
  'hypothesis',
  'status',
  'control_session_ids',
  'intervention_session_ids',
  'assignment_ids',
  sql<string | null>`${timestamp('start_at')}`.as('start_at'),
  sql<string | null>`${timestamp('end_at')}`.as('end_at'),
  'metadata',
  'created_by',
  timestamp('created_at').as('created_at'),
  timestamp('updated_at').as('updated_at'),
] as const

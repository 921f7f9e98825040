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
  'start_at',
  'end_at',
  'metadata',
  'created_by',
  'created_at',
  'updated_at',
] as const

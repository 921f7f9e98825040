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
  'created_at',
  'updated_at',
] as const

/** The contract's User. */
export const userColumns = [
  ...directoryColumns,
  'education',
  'certifications',
  'hobbies',
  'career_goals',
  'metadata',
  'last_seen',
] as const

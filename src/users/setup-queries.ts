import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import { jsonb } from '../database/expressions.js'
import type { Database, Trx } from '../database/schema.js'

type User = Omit<Selectable<Database['users']>, 'organization_id'>

/** Inserts complete users, for example deleted ones that are restored. */
export async function insertUsersAsTheyAre(
  trx: Trx,
  organization_id: string,
  users: User[],
): Promise<void> {
  if (users.length === 0) return
  const rows = users.map((user) => ({
    ...user,
    organization_id,
    education: jsonb(user.education),
    certifications: jsonb(user.certifications),
    hobbies: jsonb(user.hobbies),
    career_goals: jsonb(user.career_goals),
    metadata: jsonb(user.metadata),
  }))
  await trx.insertInto('users').values(rows).execute()
}

/** The columns that a setup updates in an existing user. It never changes `role` or `is_active`. */
export type Profile = Pick<
  User,
  | 'username'
  | 'full_name'
  | 'bio'
  | 'education'
  | 'certifications'
  | 'hobbies'
  | 'career_goals'
  | 'metadata'
  | 'updated_at'
>

export async function updateProfiles(
  trx: Trx,
  organization_id: string,
  users: (Profile & { _id: string })[],
): Promise<void> {
  if (users.length === 0) return
  const profiles = sql<Profile & { _id: string }>`jsonb_to_recordset(${jsonb(users)})`
  const columns = sql`profile(
    _id uuid, username text, full_name text, bio text, education jsonb, certifications jsonb,
    hobbies jsonb, career_goals jsonb, metadata jsonb, updated_at timestamptz)`
  await trx
    .updateTable('users')
    .from(profiles.as<'profile'>(columns))
    .set({
      username: sql.ref<string>('profile.username'),
      full_name: sql.ref<string | null>('profile.full_name'),
      bio: sql.ref<string | null>('profile.bio'),
      education: sql.ref<Profile['education']>('profile.education'),
      certifications: sql.ref<Profile['certifications']>('profile.certifications'),
      hobbies: sql.ref<Profile['hobbies']>('profile.hobbies'),
      career_goals: sql.ref<Profile['career_goals']>('profile.career_goals'),
      metadata: sql.ref<Profile['metadata']>('profile.metadata'),
      updated_at: sql.ref<string>('profile.updated_at'),
    })
    .where('users.organization_id', '=', organization_id)
    .whereRef('users._id', '=', 'profile._id')
    .execute()
}

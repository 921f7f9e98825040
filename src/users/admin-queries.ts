import type { Expression } from 'kysely'
import { sql } from 'kysely'
import type { Db } from '../database/schema.js'
import type { ParametersOf } from '../database/statements.js'

export interface FirstAdmin {
  organization_id: string
  _id: string
  username: string
  email: string
  full_name: string
  /** JSON, like the next fields. */
  education: string
  certifications: string
  hobbies: string
  career_goals: string
  metadata: string
}

/** Inserts the first user of an organization. No username is taken yet. */
export function adminInsert(db: Db, admin: ParametersOf<FirstAdmin>) {
  const { education, certifications, hobbies, career_goals, metadata, ...columns } = admin
  return db.insertInto('users').values({
    ...columns,
    role: 'admin',
    education: json(education),
    certifications: json(certifications),
    hobbies: json(hobbies),
    career_goals: json(career_goals),
    metadata: json(metadata),
  })
}

/** A value for any jsonb column. */
const json = (text: Expression<string>) => sql<never>`${text}::jsonb`

import type { Generated } from 'kysely'
import type { Role, Schema } from '../contract.js'
import type { Json, Metadata, NullableTimestamp, Timestamp } from './columns.js'

export interface OrganizationTable {
  _id: string
  name: string
  created_at: Timestamp
  updated_at: Timestamp
}

export interface BrandingTable {
  organization_id: string
  company_name: string | null
  logo_url: string | null
  primary_color: string | null
  sidebar_color: string | null
  departments: Json<string[]>
  welcome_message: string | null
  updated_at: Timestamp
}

/** A limit that an operator has set. */
export interface OrganizationLimitTable {
  organization_id: string
  name: string
  allowed: number
}

export interface UserTable {
  organization_id: string
  _id: string
  username: string
  email: string
  full_name: string | null
  role: Generated<Role>
  is_bot: Generated<boolean>
  is_active: Generated<boolean>
  avatar_url: string | null
  bio: string | null
  education: Json<Schema<'Education'>[]>
  certifications: Json<Schema<'Certification'>[]>
  hobbies: Json<string[]>
  career_goals: Json<Schema<'CareerGoal'>>
  metadata: Json<Metadata>
  last_seen: NullableTimestamp
  created_at: Timestamp
  updated_at: Timestamp
}

export interface CredentialTable {
  organization_id: string
  user_id: string
  password_hash: string
  is_temporary: Generated<boolean>
  expires_at: NullableTimestamp
  updated_at: Timestamp
}

/** A login, for as long as its refresh tokens follow one another. */
export interface LoginSessionTable {
  organization_id: string
  _id: string
  user_id: string
  created_at: Timestamp
  expires_at: Timestamp
  ended_at: NullableTimestamp
}

export interface RefreshTokenTable {
  organization_id: string
  token_hash: string
  session_id: string
  used_at: NullableTimestamp
}

export interface InvitationTable {
  organization_id: string
  _id: string
  user_id: string
  email: string
  full_name: string | null
  role: Role
  /** Of the link in the mail; null when a temporary password is the secret, or none is left. */
  token_hash: string | null
  email_sent: Generated<boolean>
  invited_by: string | null
  created_at: Timestamp
  expires_at: Timestamp
  accepted_at: NullableTimestamp
  revoked_at: NullableTimestamp
}

/** The newest link of a user; older ones are void. */
export interface PasswordResetTable {
  organization_id: string
  user_id: string
  token_hash: string
  created_at: Timestamp
  expires_at: Timestamp
}

export interface ApiKeyTable {
  organization_id: string
  _id: string
  user_id: string
  name: string
  key_hash: string
  created_by: string
  created_at: Timestamp
  expires_at: NullableTimestamp
  last_used_at: NullableTimestamp
}

/** The one table that spans tenants: who an e-mail address belongs to. */
export interface EmailRegistryTable {
  email: string
  organization_id: string
  user_id: string
}

/** How often something was tried lately, of an account that there may not be. */
export interface AttemptTable {
  email: string
  kind: string
  ip: string
  taken: number
  /** Of those taken, the ones that were in vain. The others are under way. */
  spent: Generated<number>
  expires_at: string
}

import type { Generated } from 'kysely'
import type { Role, Schema } from '../../contract.js'
import type { Json, Metadata, NullableTimestamp, Timestamp } from './columns.js'

export interface OrganizationTable {
  _id: string
  name: string
  /**
   * When an admin has verified their e-mail address, or an operator has created the organization; null
   * while it may not send letters.
   */
  verified_at: NullableTimestamp
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

export interface ConsentTextTable {
  organization_id: string
  version: number
  text: string
  sha256: string
  created_by: string
  created_at: Timestamp
}

export interface UserTable {
  organization_id: string
  _id: string
  username: string
  email: string
  /** When the user has used a link in a letter to this address. */
  email_verified_at: NullableTimestamp
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
  /** The session of a guest; null for users with an account and for bots. */
  guest_of: string | null
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

/** A login session. Its refresh tokens replace one another. */
export interface LoginSessionTable {
  organization_id: string
  _id: string
  user_id: string
  created_at: Timestamp
  expires_at: Timestamp
  ended_at: NullableTimestamp
  /** The session and the place to which it is bound; null if it began with a login. */
  simulation_session_id: string | null
  assignment_id: string | null
  /** Why it ended; null if it has not ended, or the reason is not kept. */
  ended_as: 'seat_taken_over' | null
}

export interface RefreshTokenTable {
  organization_id: string
  token_hash: string
  session_id: string
  used_at: NullableTimestamp
  /** How many of its successors were never used, because its holder did not get them. */
  lost_successors: Generated<number>
}

export interface InvitationTable {
  organization_id: string
  _id: string
  user_id: string
  email: string
  full_name: string | null
  role: Role
  /** The hash of the link in the newest mail; null if the secret is a temporary password. */
  token_hash: string | null
  email_sent: Generated<boolean>
  invited_by: string | null
  created_at: Timestamp
  expires_at: Timestamp
  accepted_at: NullableTimestamp
  revoked_at: NullableTimestamp
}

/** A link of a mail that no longer works. */
export interface EndedLinkTable {
  organization_id: string
  token_hash: string
  user_id: string
  ended_as: 'used' | 'replaced'
  ended_at: Timestamp
}

/** The newest reset link of a user. Older links are not valid. */
export interface PasswordResetTable {
  organization_id: string
  user_id: string
  token_hash: string
  created_at: Timestamp
  expires_at: Timestamp
}

/** The newest link with which a user can verify their e-mail address. */
export interface EmailVerificationTable {
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

/** The user of an e-mail address. The only table across organizations. */
export interface EmailRegistryTable {
  email: string
  organization_id: string
  user_id: string
  /** Who was invited with the address before the user registered with it; null when one has proven it. */
  invited_organization_id: string | null
  invited_user_id: string | null
}

/** Counts recent attempts on an account, which need not exist. */
export interface AttemptTable {
  email: string
  kind: string
  ip: string
  taken: number
  /** How many of the taken attempts have failed. The others are under way. */
  spent: Generated<number>
  expires_at: string
}

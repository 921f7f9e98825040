import type { ColumnType, Generated, RawBuilder } from 'kysely'
import type { Role, Schema } from '../contract.js'

/** Read as the contract's text, written as text or left to the default. */
type Timestamp = ColumnType<string, string | undefined, string>
type NullableTimestamp = ColumnType<string | null, string | null | undefined, string | null>
/** Read parsed, written through `jsonb()` or left to the default. */
type Json<T> = ColumnType<T, RawBuilder<T> | undefined, RawBuilder<T>>
type NullableJson<T> = ColumnType<T | null, RawBuilder<T> | null | undefined, RawBuilder<T> | null>
type Metadata = Record<string, unknown>

export interface Database {
  organizations: OrganizationTable
  brandings: BrandingTable
  users: UserTable
  credentials: CredentialTable
  sessions: SessionTable
  refresh_tokens: RefreshTokenTable
  invitations: InvitationTable
  password_resets: PasswordResetTable
  api_keys: ApiKeyTable
  email_registry: EmailRegistryTable
  attempts: AttemptTable
  audit_events: AuditEventTable
  unsealed_events: UnsealedEventTable
  audit_seals: AuditSealTable
  audit_retentions: AuditRetentionTable
  blueprint_setups: BlueprintSetupTable
  quick_setups: QuickSetupTable
  characters: CharacterTable
  channel_templates: ChannelTemplateTable
  experiments: ExperimentTable
}

interface OrganizationTable {
  _id: string
  name: string
  created_at: Timestamp
  updated_at: Timestamp
}

interface BrandingTable {
  organization_id: string
  company_name: string | null
  logo_url: string | null
  primary_color: string | null
  sidebar_color: string | null
  departments: Json<string[]>
  welcome_message: string | null
  updated_at: Timestamp
}

interface UserTable {
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

interface CredentialTable {
  organization_id: string
  user_id: string
  password_hash: string
  is_temporary: Generated<boolean>
  expires_at: NullableTimestamp
  updated_at: Timestamp
}

/** A login, for as long as its refresh tokens follow one another. */
interface SessionTable {
  organization_id: string
  _id: string
  user_id: string
  created_at: Timestamp
  expires_at: Timestamp
  ended_at: NullableTimestamp
}

interface RefreshTokenTable {
  organization_id: string
  token_hash: string
  session_id: string
  used_at: NullableTimestamp
}

interface InvitationTable {
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
interface PasswordResetTable {
  organization_id: string
  user_id: string
  token_hash: string
  created_at: Timestamp
  expires_at: Timestamp
}

interface ApiKeyTable {
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
interface EmailRegistryTable {
  email: string
  organization_id: string
  user_id: string
}

/** How often something was tried lately, of an account that there may not be. */
interface AttemptTable {
  email: string
  kind: string
  ip: string
  taken: number
  /** Of those taken, the ones that were in vain. The others are under way. */
  spent: Generated<number>
  expires_at: string
}

/** The columns are there to be filtered by; what is read is the document. */
interface AuditEventTable {
  organization_id: string
  _id: string
  category: string
  event_type: string
  status: Generated<string>
  actor_type: string | null
  actor_id: string | null
  case_id: string | null
  request_id: string | null
  conversation_id: string | null
  channel_id: string | null
  thread_id: string | null
  metadata: Json<Metadata>
  created_at: Timestamp
  /** The contract's AuditEvent as JSON, byte for byte as it is sent, exported and hashed. */
  document: string
}

/** Events that are recorded and not in the chain yet. */
interface UnsealedEventTable {
  organization_id: string
  event_id: string
}

/** The chain over an organization's events. */
interface AuditSealTable {
  organization_id: string
  sequence: number
  event_id: string
  hash: Uint8Array
}

/** How long an organization's events are kept, and how far they have been removed. */
interface AuditRetentionTable {
  organization_id: string
  days: Generated<number>
  /** The last number that was removed, 0 for none, and its hash. */
  pruned_to: Generated<number>
  pruned_hash: Uint8Array | null
  pruned_at: NullableTimestamp
}

interface BlueprintSetupTable {
  organization_id: string
  _id: string
  scenario_type: string
  catalogue_version: string
  models: Json<Schema<'QuickSetupModels'>>
  team_size: number
  overwrite_existing: boolean
  metadata: Json<Metadata>
  applied_at: Timestamp
  applied_by: string
}

type SetupResult = Pick<
  Schema<'QuickSetupDetails'>,
  | 'created'
  | 'updated'
  | 'removed'
  | 'changes'
  | 'skipped'
  | 'character_ids'
  | 'channel_template_ids'
  | 'experiment_id'
  | 'warnings'
>

/** One application of a blueprint: what it did, and what there was before. */
interface QuickSetupTable extends BlueprintSetupTable {
  result: Json<SetupResult>
  changes: Json<unknown>
  rolled_back_at: NullableTimestamp
  rolled_back_by: string | null
}

/** The users a setup made, by their key in its cast. */
interface CharacterTable {
  organization_id: string
  user_id: string
  setup_id: string
  character_key: string
}

interface ChannelTemplateTable {
  organization_id: string
  _id: string
  /** The setup that made it; null when people did. */
  setup_id: string | null
  scenario_name: Generated<string>
  channel_name: string
  message_templates: Json<Schema<'MessageTemplate'>[]>
  is_active: Generated<boolean>
  apply_to_existing_users: Generated<boolean>
  created_at: Timestamp
  updated_at: Timestamp
}

interface ExperimentTable {
  organization_id: string
  _id: string
  /** The setup that made it; null when people did. */
  setup_id: string | null
  name: string | null
  hypothesis: string | null
  status: Generated<string>
  /** Whether it has ever run, whatever label it carries now. */
  has_run: Generated<boolean>
  control_session_ids: Generated<string[]>
  intervention_session_ids: Generated<string[]>
  /** How the sessions came into the arms; null where that was by hand. */
  assignment: NullableJson<Schema<'Assignment'>>
  assignment_ids: Generated<string[]>
  start_at: NullableTimestamp
  end_at: NullableTimestamp
  metadata: Json<Metadata>
  created_by: string | null
  created_at: Timestamp
  updated_at: Timestamp
}

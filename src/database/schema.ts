import type {
  AuditEventTable,
  AuditRetentionTable,
  AuditSealTable,
  UnsealedEventTable,
} from './audit-tables.js'
import type {
  ApiKeyTable,
  AttemptTable,
  BrandingTable,
  CredentialTable,
  EmailRegistryTable,
  InvitationTable,
  LoginSessionTable,
  OrganizationLimitTable,
  OrganizationTable,
  PasswordResetTable,
  RefreshTokenTable,
  UserTable,
} from './people-tables.js'
import type {
  SessionAssignmentTable,
  SessionMessageTable,
  SessionPlanTable,
  SessionRatingTable,
  SimulationSessionTable,
} from './session-tables.js'
import type {
  BlueprintSetupTable,
  ChannelTemplateTable,
  CharacterTable,
  ExperimentTable,
  QuickSetupTable,
} from './simulation-tables.js'

export interface Database {
  organizations: OrganizationTable
  brandings: BrandingTable
  organization_limits: OrganizationLimitTable
  users: UserTable
  credentials: CredentialTable
  login_sessions: LoginSessionTable
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
  simulation_sessions: SimulationSessionTable
  session_plan: SessionPlanTable
  session_messages: SessionMessageTable
  session_assignments: SessionAssignmentTable
  session_ratings: SessionRatingTable
}

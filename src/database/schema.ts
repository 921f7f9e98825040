import type { Kysely, Transaction } from 'kysely'
import type {
  AuditEventTable,
  AuditRetentionTable,
  AuditSealTable,
  UnsealedEventTable,
} from './tables/audit.js'
import type {
  OwnRatingTable,
  SeatLinkTable,
  SessionAssignmentTable,
  SessionNoteTable,
  SessionRatingTable,
  StreamPresenceTable,
  StreamProcessTable,
  TrainerMessageTable,
} from './tables/participants.js'
import type {
  ApiKeyTable,
  AttemptTable,
  BrandingTable,
  ConsentTextTable,
  CredentialTable,
  EmailRegistryTable,
  EmailVerificationTable,
  EndedLinkTable,
  InvitationTable,
  LoginSessionTable,
  OrganizationLimitTable,
  OrganizationTable,
  PasswordResetTable,
  RefreshTokenTable,
  UserTable,
} from './tables/people.js'
import type {
  SessionDecisionTable,
  SessionMessageTable,
  SessionPlanTable,
  SimulationSessionTable,
} from './tables/sessions.js'
import type {
  BlueprintSetupTable,
  ChannelTemplateTable,
  CharacterTable,
  ExperimentTable,
  QuickSetupTable,
} from './tables/simulation.js'

export interface Database {
  organizations: OrganizationTable
  brandings: BrandingTable
  organization_limits: OrganizationLimitTable
  consent_texts: ConsentTextTable
  users: UserTable
  credentials: CredentialTable
  login_sessions: LoginSessionTable
  refresh_tokens: RefreshTokenTable
  invitations: InvitationTable
  password_resets: PasswordResetTable
  email_verifications: EmailVerificationTable
  ended_links: EndedLinkTable
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
  seat_links: SeatLinkTable
  session_ratings: SessionRatingTable
  own_ratings: OwnRatingTable
  session_notes: SessionNoteTable
  session_decisions: SessionDecisionTable
  trainer_messages: TrainerMessageTable
  stream_presence: StreamPresenceTable
  stream_processes: StreamProcessTable
}

/** Runs statements, inside or outside of a transaction. */
export type Db = Kysely<Database>
/** For statements that must be part of a transaction. */
export type Trx = Transaction<Database>

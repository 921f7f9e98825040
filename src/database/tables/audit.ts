import type { Generated } from 'kysely'
import type { Json, Metadata, NullableTimestamp, Timestamp } from './columns.js'

/** Columns are for filters; readers get `document`. */
export interface AuditEventTable {
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

/** Recorded events that are not yet in the chain. */
export interface UnsealedEventTable {
  organization_id: string
  event_id: string
}

/** The chain of an organization's events. */
export interface AuditSealTable {
  organization_id: string
  sequence: number
  event_id: string
  hash: Uint8Array
}

/** How long an organization's events are kept, and how far they have been removed. */
export interface AuditRetentionTable {
  organization_id: string
  days: Generated<number>
  /** The last sequence number that was removed (0 for none), and its hash. */
  pruned_to: Generated<number>
  pruned_hash: Uint8Array | null
  pruned_at: NullableTimestamp
}

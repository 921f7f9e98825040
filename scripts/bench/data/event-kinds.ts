/**
 * What the generated audit events are: share in a hundred thousand, category, type, status. Values
 * that are common each for itself meet rarely or never (`simulation` and `failure`), which is the
 * hardest case for a listing with several filters.
 */
export const eventKinds: [share: number, category: string, event_type: string, status: string][] = [
  [30_000, 'simulation', 'message_sent', 'info'],
  [9_000, 'simulation', 'session_started', 'info'],
  [8_000, 'simulation', 'session_completed', 'success'],
  [5, 'simulation', 'message_sent', 'failure'],
  [18_000, 'auth', 'user_logged_in', 'success'],
  [9_000, 'auth', 'user_logged_out', 'info'],
  [4_000, 'auth', 'login_failed', 'failure'],
  [1, 'auth', 'user_logged_in', 'warning'],
  [6_500, 'user', 'user_updated', 'success'],
  [1_000, 'user', 'user_deactivated', 'warning'],
  [3_000, 'invitation', 'member_invited', 'success'],
  [2_400, 'invitation', 'invitation_accepted', 'success'],
  [1_500, 'invitation', 'invitation_expired', 'warning'],
  [3_000, 'channel_template', 'channel_template_updated', 'success'],
  [2_000, 'experiment', 'experiment_updated', 'success'],
  [1_000, 'experiment', 'experiment_status_changed', 'info'],
  [600, 'organization', 'branding_updated', 'success'],
  [400, 'blueprint', 'quick_setup_applied', 'success'],
  [250, 'audit', 'audit_exported', 'info'],
  [300, 'security', 'permission_denied', 'failure'],
  [43, 'security', 'password_changed', 'success'],
  [1, 'security', 'refresh_token_reuse', 'warning'],
]

/** A kind that only the oldest hundredth of a history has. */
export const oldestKind = ['simulation', 'session_imported', 'success'] as const

const column = (index: 1 | 2 | 3) => [
  ...new Set([...eventKinds.map((kind) => kind[index]), oldestKind[index - 1] ?? '']),
]

/** Every value that a filter can have. */
export const filterValues = { category: column(1), event_type: column(2), status: column(3) }

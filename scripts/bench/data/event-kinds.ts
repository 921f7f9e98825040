/**
 * The kinds of generated audit events: share in a hundred thousand, category, type, status. Some
 * values are common but rarely meet (`simulation` and `failure`), which is hard for a list with
 * several filters.
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
  [4_250, 'experiment', 'experiment_updated', 'success'],
  [300, 'security', 'permission_denied', 'failure'],
  [43, 'security', 'password_changed', 'success'],
  [1, 'security', 'refresh_token_reuse', 'warning'],
]

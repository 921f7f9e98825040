import type { Role, Schema } from './contract.js'

type ErrorBody = Schema<'ErrorResponse'>

/** An error of the contract. Throw it, and the error handler sends it as it is. */
export class ContractError extends Error {
  constructor(
    readonly statusCode: number,
    readonly body: ErrorBody | Schema<'ValidationError'>,
    readonly headers: Record<string, string> = {},
  ) {
    super('code' in body ? body.code : 'validation_error')
  }
}

function contractError(
  statusCode: number,
  code: string,
  detail: string,
  fields = {},
  headers = {},
) {
  return new ContractError(statusCode, { detail, code, ...fields }, headers)
}

const bearerChallenge = { 'www-authenticate': 'Bearer' }

export const notAuthenticated = () =>
  contractError(401, 'not_authenticated', 'Not authenticated', {}, bearerChallenge)

export const invalidToken = () =>
  contractError(401, 'invalid_token', 'Could not validate credentials', {}, bearerChallenge)

export const invalidCredentials = () =>
  contractError(401, 'invalid_credentials', 'Incorrect email or password', {}, bearerChallenge)

/** Another device has taken the place of the caller's device. */
export const seatTakenOver = () =>
  contractError(401, 'seat_taken_over', 'Another device has taken this place', {}, bearerChallenge)

export const insufficientRole = (required_roles: readonly Role[]) =>
  contractError(403, 'insufficient_role', 'Not enough permissions', { required_roles })

export const passwordChangeRequired = () =>
  contractError(403, 'password_change_required', 'The temporary password must be changed first')

export const registrationClosed = () =>
  contractError(403, 'registration_closed', 'Only the operator creates organizations here')

export const badRequest = () =>
  contractError(400, 'bad_request', 'The request is not well-formed HTTP')

export const routeNotFound = () => contractError(404, 'not_found', 'Not Found')

export const organizationNotFound = () =>
  contractError(404, 'organization_not_found', 'Organization not found')

export const experimentNotFound = () =>
  contractError(404, 'experiment_not_found', 'Experiment not found')

export const templateNotFound = () =>
  contractError(404, 'template_not_found', 'Channel template not found')

export const blueprintNotFound = () =>
  contractError(404, 'blueprint_not_found', 'Scenario blueprint not found')

export const setupNotFound = () => contractError(404, 'setup_not_found', 'Quick setup not found')

export const userNotFound = () => contractError(404, 'user_not_found', 'User not found')

export const invitationNotFound = () =>
  contractError(404, 'invitation_not_found', 'Invitation not found')

export const noteNotFound = () => contractError(404, 'note_not_found', 'Note not found')

export const apiKeyNotFound = () => contractError(404, 'api_key_not_found', 'API key not found')

export const seatLinkNotFound = () =>
  contractError(404, 'seat_link_not_found', 'Seat link not found')

export const methodNotAllowed = (allow: string) =>
  contractError(405, 'method_not_allowed', 'Method Not Allowed', {}, { allow })

export const requestTimeout = () =>
  contractError(408, 'request_timeout', 'The request took too long to arrive')

export const emailExists = () =>
  contractError(409, 'email_exists', 'An account with this e-mail already exists')

export const notRegistrant = () =>
  contractError(
    403,
    'not_registrant',
    'Only the person who registered the organization gets this link',
  )

export const alreadyVerified = () =>
  contractError(409, 'already_verified', 'The e-mail address is verified already')

export const lastAdmin = () =>
  contractError(409, 'last_admin', 'The last active administrator cannot be demoted or deactivated')

export const registrantUnverified = () =>
  contractError(
    409,
    'registrant_unverified',
    'The person who registered the organization stays an active administrator until it is verified',
  )

export const temporaryPassword = () =>
  contractError(
    409,
    'temporary_password',
    'The user has not changed the temporary password yet. Revoke the invitation and invite them with the new role',
  )

export const notABot = () => contractError(409, 'not_a_bot', 'Only bots have API keys')

export const invitationNotPending = (current_status: string) =>
  contractError(409, 'invitation_not_pending', `The invitation was ${current_status}`, {
    current_status,
  })

/** Pass `operation` if another operation makes this change of status. */
export const invalidStatusTransition = (
  current_status: string,
  status: string,
  allowed_statuses: string[],
  operation?: string,
) => {
  const change = `change from ${current_status} to ${status}`
  const wrong = operation ? `Call ${operation} to ${change}` : `The status cannot ${change}`
  const detail = current_status === status ? `The status is ${status} already` : wrong
  const about = { current_status, allowed_statuses }
  return contractError(409, 'invalid_status_transition', detail, about)
}

export const experimentNotDraft = (current_status: string) =>
  contractError(409, 'experiment_not_draft', 'Only a draft can be deleted', { current_status })

export const experimentHasRun = (current_status: string) =>
  contractError(
    409,
    'experiment_has_run',
    'The sessions of an experiment cannot change after it has run or ended',
    {
      current_status,
    },
  )

export const templateExists = (existing?: Schema<'TemplateName'>[]) =>
  contractError(
    409,
    'template_exists',
    'The scenario already has a template of this channel',
    existing && { existing },
  )

export const setupInUse = (reasons: Schema<'SetupUse'>[]) =>
  contractError(409, 'setup_in_use', 'Parts of the setup are in use', { reasons })

export const setupSuperseded = (latest_setup_id: string) =>
  contractError(409, 'setup_superseded', 'The scenario was set up again later', {
    latest_setup_id,
  })

export const setupRolledBack = () =>
  contractError(409, 'setup_rolled_back', 'The setup was rolled back already')

export const sessionNotFound = () => contractError(404, 'session_not_found', 'Session not found')

export const nothingPrepared = () =>
  contractError(409, 'nothing_prepared', 'No message of the scenario would be planned')

export const sessionNotDraft = (current_status: string) =>
  contractError(
    409,
    'session_not_draft',
    'Only a draft or a session that has ended can be deleted',
    {
      current_status,
    },
  )

export const sessionStarted = (current_status: string) =>
  contractError(
    409,
    'session_started',
    'The name, mode and times of a session cannot change after its start, its speed only while it is paused',
    {
      current_status,
    },
  )

export const sessionEnded = (current_status: string) =>
  contractError(409, 'session_ended', 'The session has ended', { current_status })

export const seatTaken = (seat: Schema<'TakenSeat'>) =>
  contractError(409, 'seat_taken', 'The place is taken', { seat })

export const sessionNotRunning = (current_status: string) =>
  contractError(409, 'session_not_running', 'The session does not run', { current_status })

export const sessionNotRateable = (current_status: string) =>
  contractError(409, 'session_not_rateable', 'A session can only be rated after its start', {
    current_status,
  })

export const ratingsFinal = () =>
  contractError(409, 'ratings_final', 'Complete ratings cannot be changed')

export const ownTeam = () => contractError(403, 'own_team', 'You cannot rate your own team')

export const participantsFixed = (current_status: string) =>
  contractError(409, 'participants_fixed', 'Participants can only be added after the start', {
    current_status,
  })

export const notJoined = () => contractError(409, 'not_joined', 'Join the session first')

export const clientMessageIdUsed = () =>
  contractError(
    409,
    'client_message_id_used',
    'Another message was posted under this client_message_id',
  )

/** `deed` is what the caller wanted to do. */
export const notAParticipant = (deed: string) =>
  contractError(409, 'not_a_participant', `Only participants can ${deed}`)

export const placeNotFound = () => contractError(404, 'place_not_found', 'Place not found')

export const consentOutdated = (current_version: number) =>
  contractError(409, 'consent_outdated', 'The consent text has another version now', {
    current_version,
  })

/** The roles of the session that may decide. Those who lead learn how they can record a decision. */
export const notYoursToDecide = (required_role_keys: string[], isLeading: boolean) => {
  const roles = required_role_keys.join(', ') || 'all who take part'
  const who = isLeading ? `${roles}; with on_behalf you record it for them` : roles
  const about = { required_role_keys }
  return contractError(403, 'not_yours_to_decide', `This decision is made by: ${who}`, about)
}

export const decisionNotOpen = () =>
  contractError(409, 'decision_not_open', 'The session has not asked for this decision')

export const alreadyDecided = (decision: Schema<'DecisionMade'>) =>
  contractError(409, 'already_decided', 'The decision is made already', { decision })

export const decisionLapsed = (decision: Schema<'DecisionMade'>) =>
  contractError(409, 'decision_lapsed', 'The deadline of the decision has passed', { decision })

export const planLocked = (current_status: string) =>
  contractError(
    409,
    'plan_locked',
    'The plan is frozen: the experiment is no longer a draft or has begun',
    { current_status },
  )

export const sessionsUnfinished = (unfinished: string[]) =>
  contractError(409, 'sessions_unfinished', 'Sessions have not ended', { unfinished })

export const alreadyConcluded = () =>
  contractError(409, 'already_concluded', 'The experiment is concluded already')

export const resultsFrozen = () =>
  contractError(
    409,
    'results_frozen',
    'The results are frozen already: send the decision and its rationale',
  )

export const notConcluded = () =>
  contractError(409, 'not_concluded', 'The results are not frozen yet')

export const experimentNotRun = (current_status: string) =>
  contractError(409, 'experiment_not_run', 'Only an experiment that has run can be concluded', {
    current_status,
  })

/** The request would exceed a limit of the organization, a session or a person. */
export const quotaExceeded = (quota: string, used: number, allowed: number) =>
  contractError(409, 'quota_exceeded', `This would exceed the limit of ${quota}`, {
    quota,
    used,
    allowed,
  })

/** Another request is changing the same thing and holds its row. */
export const busy = () =>
  contractError(
    409,
    'busy',
    'Another request is changing it; try again',
    {},
    { 'retry-after': '1' },
  )

export const preconditionFailed = () =>
  contractError(412, 'precondition_failed', 'It was changed since; read it again')

export const payloadTooLarge = () =>
  contractError(413, 'payload_too_large', 'Request body is too large')

export const unsupportedMediaType = () =>
  contractError(415, 'unsupported_media_type', 'Content-Type must be application/json')

export const charsetNotSupported = () =>
  contractError(415, 'unsupported_media_type', 'The charset of application/json must be UTF-8')

export const expectationFailed = () =>
  contractError(417, 'expectation_failed', 'The only expectation that can be met is 100-continue')

export const rateLimited = (retryAfter: number) =>
  contractError(429, 'rate_limited', 'Too many requests', {}, { 'retry-after': String(retryAfter) })

export const headersTooLarge = () =>
  contractError(431, 'headers_too_large', 'Request headers are too large')

export const unavailable = (retryAfter = 1) =>
  contractError(
    503,
    'unavailable',
    'Service temporarily unavailable',
    {},
    {
      'retry-after': String(retryAfter),
    },
  )

export const internalServerError = () =>
  contractError(500, 'internal_server_error', 'Internal Server Error')

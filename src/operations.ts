import * as apiKeys from './api-keys/handlers.js'
import * as auditEvents from './audit-events/handlers.js'
import * as auth from './auth/handlers.js'
import * as avatars from './avatars/handlers.js'
import * as blueprints from './blueprints/handlers.js'
import * as channelTemplates from './channel-templates/handlers.js'
import * as consentTexts from './consent-texts/handlers.js'
import type { Operations } from './contract.js'
import * as emailVerification from './email-verification/handlers.js'
import * as experimentResults from './experiment-results/handlers.js'
import * as experiments from './experiments/handlers.js'
import * as invitations from './invitations/handlers.js'
import * as organizations from './organizations/handlers.js'
import * as passwordResets from './password-resets/handlers.js'
import * as sessionDecisions from './session-decisions/handlers.js'
import * as sessionExpectations from './session-expectations/handlers.js'
import * as sessionExports from './session-exports/handlers.js'
import * as sessionMessages from './session-messages/handlers.js'
import * as sessionNotes from './session-notes/handlers.js'
import * as sessionParticipants from './session-participants/handlers.js'
import * as sessionRatings from './session-ratings/handlers.js'
import * as sessionSeats from './session-seats/handlers.js'
import * as simulationSessions from './simulation-sessions/handlers.js'
import * as trainerMessages from './trainer-messages/handlers.js'
import * as usage from './usage/handlers.js'
import * as users from './users/handlers.js'

/** The handler of every operation in the contract; one missing or misspelt does not compile. */
export const operations: Operations = {
  ...auth,
  ...passwordResets,
  ...emailVerification,
  ...invitations,
  ...users,
  ...apiKeys,
  ...organizations,
  ...consentTexts,
  ...blueprints,
  ...experiments,
  ...experimentResults,
  ...channelTemplates,
  ...simulationSessions,
  ...sessionMessages,
  ...sessionExpectations,
  ...sessionDecisions,
  ...sessionParticipants,
  ...sessionSeats,
  ...trainerMessages,
  ...avatars,
  ...sessionRatings,
  ...sessionNotes,
  ...sessionExports,
  ...auditEvents,
  ...usage,
}

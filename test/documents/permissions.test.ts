import { loadContract, type OperationId } from '../../src/contract.js'
import { sectionOf } from '../helpers/documents.js'
import { t } from '../helpers/file.js'

/** The operations of each row in the README's table of roles. */
const permissions: Record<string, OperationId[]> = {
  'List and read users': ['listUsers', 'getUser'],
  'Invite, resend, revoke': [
    'inviteMember',
    'inviteMembers',
    'listInvitations',
    'resendInvitation',
    'revokeInvitation',
  ],
  'Update oneself': ['updateUser'],
  'Read organization': ['getOrganization', 'getBranding'],
  'Update it, its branding': ['updateOrganization', 'updateBranding'],
  'Read consent texts': ['listConsentTexts'],
  'Write consent texts': ['createConsentText'],
  'API keys of bots': ['listApiKeys', 'createApiKey', 'revokeApiKey'],
  'Read blueprints': ['listBlueprints', 'getBlueprint'],
  'Preview, see setups': ['previewQuickSetup', 'listQuickSetups', 'getQuickSetup'],
  'Apply, roll back': ['applyQuickSetup', 'rollbackQuickSetup'],
  'Read experiments': [
    'listExperiments',
    'getExperiment',
    'getExperimentReadiness',
    'getExperimentResults',
  ],
  'Write experiments': [
    'createExperiment',
    'updateExperiment',
    'deleteExperiment',
    'assignSessions',
  ],
  'Conclude experiments': ['registerAnalysisPlan', 'concludeExperiment', 'exportExperimentData'],
  'Run sessions': [
    'createSession',
    'updateSession',
    'startSession',
    'pauseSession',
    'resumeSession',
    'endSession',
    'setParticipants',
  ],
  'Read, write in sessions': [
    'listSessions',
    'getSession',
    'getBriefing',
    'listSessionMessages',
    'postSessionMessage',
    'streamSessionEvents',
    'listDecisions',
  ],
  'Decide in sessions': ['makeDecision'],
  'Join, leave sessions': ['joinSession', 'leaveSession'],
  'Make links to seats': ['createSeatLinks', 'listSeatLinks', 'revokeSeatLink'],
  'Ask trainers, read it': ['askTrainer', 'listTrainerMessages'],
  'Answer participants': ['answerParticipant'],
  'Rate sessions': ['rateSession', 'listSessionRatings'],
  'Rate oneself': ['rateOneself', 'getOwnRating'],
  'Take notes in sessions': ['createSessionNote', 'listSessionNotes', 'deleteSessionNote'],
  'Export sessions': ['exportSession'],
  'Read channel templates': [
    'listChannelTemplates',
    'getChannelTemplate',
    'previewChannelTemplate',
    'exportChannelTemplates',
  ],
  'Write channel templates': [
    'createChannelTemplate',
    'replaceChannelTemplate',
    'updateChannelTemplate',
    'deleteChannelTemplate',
    'importChannelTemplates',
  ],
  'Read audit events': ['listAuditEvents'],
  'Export, verify, retain': [
    'exportAuditEvents',
    'verifyAuditTrail',
    'createAuditCheckpoint',
    'getAuditRetention',
    'updateAuditRetention',
  ],
  'Record audit events': ['recordAuditEvents'],
}

t.test('The table of permissions matches the contract', async (t) => {
  const table = sectionOf('README.md', 'Who may do what')
  const [head = [], , ...rows] = [...table.matchAll(/^\|(.+)\|$/gm)].map(([, cells = '']) =>
    cells.split('|').map((cell) => cell.trim()),
  )
  const [, ...roles] = head
  const shown = new Map(rows.map(([row = '', ...cells]) => [row, cells]))
  t.strictSame(
    [...shown.keys()].filter((row) => row !== 'Update others'),
    Object.keys(permissions),
  )
  for (const [row, ids] of Object.entries(permissions)) {
    const may = roles.filter((_, column) => shown.get(row)?.[column] !== '–')
    for (const id of ids) t.strictSame(may, rolesOf(id, roles), id)
  }
})

/** The roles of `among` that may call an operation, in that order. */
function rolesOf(id: OperationId, among: string[]): string[] {
  const operation = loadContract().operations.find(({ operationId }) => operationId === id)
  const may: string[] = [...(operation?.roles ?? []), ...(operation?.apiKeyRoles ?? [])]
  return among.filter((role) => may.includes(role))
}

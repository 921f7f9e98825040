import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { loadContract, type OperationId } from '../src/contract.js'
import { t } from './helpers/file.js'
import { placeWithDatabase, start, stopEverything } from './helpers/process.js'
import { startService } from './helpers/service.js'

t.teardown(stopEverything)

const run = promisify(execFile)
const { url } = await startService(t)
const readme = readFileSync('README.md', 'utf8')

interface Block {
  commands: string
  output: string
}

/** The text of a section of the README. */
function sectionOf(title: string): string {
  const [, text = ''] = readme.split(`\n## ${title}\n`)
  return text.split('\n## ')[0] ?? ''
}

/** The commands of a section of the README, each with the output that stands under it. */
function blocksOf(title: string): Block[] {
  const blocks = sectionOf(title).matchAll(/^```bash\n(.*?)^```\n(?:\n```\n(.*?)^```\n)?/gms)
  return [...blocks].map(([, commands = '', output = '']) => ({ commands, output }))
}

const separator = '=== next block ==='

/** Pastes all of it into one shell of its own. */
function paste(t: Test, blocks: Block[]) {
  const script = blocks.map(({ commands }) => `${commands}\necho '${separator}'`).join('\n')
  const onThisService = script.replace('http://127.0.0.1:3000', url)
  return run('bash', ['-c', onThisService], { cwd: t.testdir() })
}

/** What each of the blocks prints. */
async function printedBy(t: Test, blocks: Block[]): Promise<string[]> {
  const { stdout, stderr } = await paste(t, blocks)
  t.equal(stderr, '')
  return stdout.split(`${separator}\n`)
}

async function printsWhatItShows(t: Test, blocks: Block[]): Promise<void> {
  const printed = await printedBy(t, blocks)
  for (const [index, { output }] of blocks.entries()) {
    t.equal(printed[index], output, `block ${index + 1}`)
  }
}

t.test('The session of the README', async (t) => {
  const session = blocksOf('A first session')
  const life = blocksOf('The life of an account')
  t.strictSame([session.length, life.length], [9, 1])

  t.test('prints what it shows, and so does the life of an account', (t) =>
    printsWhatItShows(t, [...session, ...life]),
  )

  t.test('can be pasted again', (t) => printsWhatItShows(t, session))

  t.test('shows the answer where it has not the part that is picked', async (t) => {
    const commands = "api /users | pick '.map((user) => user.email)'"
    const { stdout, stderr } = await paste(t, [...session.slice(0, 1), { commands, output: '' }])
    t.equal(stdout.replaceAll(`${separator}\n`, ''), '')
    t.match(JSON.parse(stderr), { code: 'not_authenticated' })
  })
})

const skip = process.env.TEST_CITUS_URL && 'It is told for one PostgreSQL and the embedded database'

t.test('The audit trail of the README', { skip }, async (t) => {
  const place = await placeWithDatabase(t, { isMigrated: true })
  const service = start(place)
  const base = await service.address()
  const [functions] = blocksOf('A first session')
  const blocks = blocksOf('The audit trail')
  t.equal(blocks.length, 3)

  t.test('is exported, verified, tampered with and found out, as it is told', async (t) => {
    const stop = `
      until [ "$(api $EVENTS/verify | pick .sequence)" = 6 ]; do sleep 0.1; done
      kill ${service.process.pid}; while kill -0 ${service.process.pid}; do sleep 0.1; done 2>/dev/null`
    const [recorded, verified, tampered] = blocks.map(({ commands }) => commands)
    const parts = [functions?.commands, recorded, verified, stop, tampered]
    const script = parts.join('\n').replace('http://127.0.0.1:3000', base)
    const env = { ...process.env, DATABASE_URL: '', ...place }
    const { stdout } = await run('bash', ['-c', script], { env })
    t.equal(stdout, blocks.map(({ output }) => output).join(''))
  })
})

t.test('The drill of the README', async (t) => {
  const [functions] = blocksOf('A first session')
  const blocks = blocksOf('Preparing a drill')
  t.equal(blocks.length, 6)

  t.test('is prepared and run as it is told', async (t) => {
    const commands = [functions, ...blocks].map((block) => block?.commands).join('\n')
    // The command that repeats the assignment is one of this package.
    const script = commands
      .replace('http://127.0.0.1:3000', url)
      .replaceAll(/\b(template|experiment)\.json/g, `${t.testdir()}/$1.json`)
    const { stdout, stderr } = await run('bash', ['-c', script])
    t.equal(stdout, blocks.map(({ output }) => output).join(''))
    t.equal(stderr, '')
  })
})

t.test('The sessions of the README', async (t) => {
  const [functions] = blocksOf('A first session')
  const blocks = blocksOf('Running a drill')
  t.equal(blocks.length, 8)

  t.test('run from the setup to the conclusion as it is told', async (t) => {
    const [, ...printed] = functions ? await printedBy(t, [functions, ...blocks]) : []
    for (const [i, { output }] of blocks.entries()) t.equal(printed[i], output, `block ${i + 1}`)
  })
})

t.test('The scenario of the README is read as it is told', async (t) => {
  const blocks = blocksOf('Writing a scenario of your own')
  t.equal(blocks.length, 1)
  const script = blocks
    .map(({ commands }) => commands)
    .join('')
    .replaceAll(/\bours\b/g, t.testdir())
  const { stdout, stderr } = await run('bash', ['-c', script])
  t.equal(stdout, blocks.map(({ output }) => output).join(''))
  t.equal(stderr, '')
})

t.test('Adding an operation, as the README tells it, is what was done', async (t) => {
  const steps = sectionOf('Adding an operation').matchAll(
    /^\d\. .*?`([^`]+\.(?:yaml|ts))`.*?^ {3}```\w+\n(.*?)^ {3}```$/gms,
  )
  const files = [...steps].map(([, file = '', block = '']) => {
    t.ok(readFileSync(file, 'utf8').includes(block.replace(/^ {3}/gm, '')), file)
    return file
  })
  t.strictSame(files, [
    'openapi.yaml',
    'src/organizations/queries.ts',
    'src/organizations/handlers.ts',
    'test/organizations.test.ts',
  ])
})

t.test('Contract, package and changelog are of one version', async (t) => {
  const { version } = loadContract()
  for (const file of ['package.json', 'package-lock.json']) {
    t.equal(JSON.parse(readFileSync(file, 'utf8')).version, version, file)
  }
  const [newest] = readFileSync('CHANGELOG.md', 'utf8').match(/^## \d\S*/m) ?? []
  t.equal(newest, `## ${version}`)
})

/** What each row of the README's table of roles is about. Whom a change meets is the service's word. */
const permissions: Record<string, OperationId[]> = {
  'List and read users': ['listUsers', 'getUser'],
  'Invite, resend, revoke': [
    ...(['inviteMember', 'inviteMembers', 'listInvitations'] as const),
    ...(['resendInvitation', 'revokeInvitation'] as const),
  ],
  'Update oneself': ['updateUser'],
  'Read organization': ['getOrganization', 'getBranding'],
  'Update it, its branding': ['updateOrganization', 'updateBranding'],
  'API keys of bots': ['listApiKeys', 'createApiKey', 'revokeApiKey'],
  'Read blueprints': ['listBlueprints', 'getBlueprint'],
  'Preview, see setups': ['previewQuickSetup', 'listQuickSetups', 'getQuickSetup'],
  'Apply, roll back': ['applyQuickSetup', 'rollbackQuickSetup'],
  'Read experiments': [
    ...(['listExperiments', 'getExperiment', 'getExperimentReadiness'] as const),
    'getExperimentResults',
  ],
  'Write experiments': [
    ...(['createExperiment', 'updateExperiment', 'deleteExperiment', 'assignSessions'] as const),
  ],
  'Conclude experiments': ['registerAnalysisPlan', 'concludeExperiment', 'exportExperimentData'],
  'Run sessions': [
    ...(['createSession', 'updateSession', 'startSession', 'pauseSession'] as const),
    ...(['resumeSession', 'endSession', 'setParticipants'] as const),
  ],
  'Read, write in sessions': [
    ...(['listSessions', 'getSession', 'getBriefing', 'listSessionMessages'] as const),
    ...(['postSessionMessage', 'streamSessionEvents'] as const),
  ],
  'Join, leave sessions': ['joinSession', 'leaveSession'],
  'Rate sessions': ['rateSession', 'listSessionRatings'],
  'Export sessions': ['exportSession'],
  'Read channel templates': [
    ...(['listChannelTemplates', 'getChannelTemplate'] as const),
    ...(['previewChannelTemplate', 'exportChannelTemplates'] as const),
  ],
  'Write channel templates': [
    ...(['createChannelTemplate', 'replaceChannelTemplate', 'updateChannelTemplate'] as const),
    ...(['deleteChannelTemplate', 'importChannelTemplates'] as const),
  ],
  'Read audit events': ['listAuditEvents'],
  'Export, verify, retain': [
    ...(['exportAuditEvents', 'verifyAuditTrail', 'createAuditCheckpoint'] as const),
    ...(['getAuditRetention', 'updateAuditRetention'] as const),
  ],
  'Record audit events': ['recordAuditEvents'],
}

t.test('The table of who may do what agrees with the contract', async (t) => {
  const table = sectionOf('Who may do what')
  const [head = [], , ...rows] = [...table.matchAll(/^\|(.+)\|$/gm)].map(([, cells = '']) =>
    cells.split('|').map((cell) => cell.trim()),
  )
  const [, ...roles] = head
  const told = new Map(rows.map(([row = '', ...cells]) => [row, cells]))
  t.strictSame(
    [...told.keys()].filter((row) => row !== 'Update others'),
    Object.keys(permissions),
  )
  for (const [row, ids] of Object.entries(permissions)) {
    const may = roles.filter((_, column) => told.get(row)?.[column] !== '–')
    for (const id of ids) t.strictSame(may, rolesOf(id, roles), id)
  }
})

/** Those of some roles that may call an operation, in their order. */
function rolesOf(id: OperationId, among: string[]): string[] {
  const operation = loadContract().operations.find(({ operationId }) => operationId === id)
  const may: string[] = [...(operation?.roles ?? []), ...(operation?.apiKeyRoles ?? [])]
  return among.filter((role) => may.includes(role))
}

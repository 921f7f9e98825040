import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Account } from '../accounts.js'
import { getRequest, type HttpRequest, jsonRequest, send } from '../client.js'
import { serverUrl, withClient, withNewDatabases } from '../database/connections.js'
import { ratio } from '../measuring/statistics.js'
import { checkout } from '../paths.js'
import { type Side, startService, withSides } from '../processes.js'
import type { Row } from '../report.js'
import {
  applyQuickSetup,
  listAuditEvents,
  listTemplates,
  listUsers,
  recordAuditEvents,
  register,
} from '../requests.js'
import { type Bench, defineScenario } from '../scenario.js'
import { type Figures, playRounds, type Task } from './rounds.js'

const run = promisify(execFile)

/** The operations that are compared, in the order of the report. */
const operations = [
  'users, 91 rows',
  'channel templates',
  'audit events, 100',
  'audit events of a category',
  'current user',
  'list messages, 100',
  'post a message',
] as const
type OperationName = (typeof operations)[number]

const goals = Object.fromEntries(
  operations.map((name) => [`processor time, ${name}`, { atMost: 1.05, unit: ' ×' }]),
) as Record<`processor time, ${OperationName}`, { atMost: number; unit: string }>

/** Runs work with a checkout of a commit that is built, and removes it. */
async function withCommit<T>(commit: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'workplace-bench-commit-'))
  const git = (...args: string[]) => run('git', ['-C', checkout, ...args])
  await git('worktree', 'add', '--detach', folder, commit)
  try {
    const options = { cwd: folder, maxBuffer: 1e8 }
    await run('npm', ['ci', '--no-audit', '--no-fund'], options)
    await run('npm', ['run', 'build'], options)
    return await work(folder)
  } finally {
    await git('worktree', 'remove', '--force', folder)
    rmSync(folder, { recursive: true, force: true })
  }
}

const environment = { ACCESS_TOKEN_TTL: '86400' }
const perSession = 100
/** Several, because the messages of one session wait for each other. */
const sessionCount = 32

/** Fills an empty service by its API. Returns one request for each operation. */
async function fill({ url }: Side): Promise<Record<OperationName, Task['request']>> {
  const call = async <Body>(request: HttpRequest, expected: number) =>
    (await send(url, request, expected)).body as Body
  type Grant = { access_token: string; user: { organization_id: string } }
  const { access_token: token, user } = await call<Grant>(register(), 200)
  const admin: Account = { organization_id: user.organization_id, token }
  await call(applyQuickSetup(admin, 6), 200)
  await inviteUntil(admin, 91, call)
  for (let i = 0; i < 20; i++) await call(recordAuditEvents(admin, 100 * i, 100), 201)
  const first = await openRoom(admin, call)
  const rooms = [first]
  while (rooms.length < sessionCount) rooms.push(await openRoom(admin, call))
  const post = (number: number) => {
    const { path, conversation_id, as_character_id } = rooms[number % sessionCount] ?? first
    const body = { conversation_id, as_character_id, content: `Message ${number}` }
    return jsonRequest('POST', path, { ...body, client_message_id: randomUUID() }, token)
  }
  for (let i = 0; i < perSession * sessionCount; i++) await call(post(i), 201)
  return {
    'users, 91 rows': listUsers(admin),
    'channel templates': listTemplates(admin),
    'audit events, 100': listAuditEvents(admin),
    'audit events of a category': listAuditEvents(admin, { category: 'simulation' }),
    'current user': getRequest(token, '/api/v1/auth/me'),
    'list messages, 100': getRequest(token, first.path),
    'post a message': post,
  }
}

type Call = <Body>(request: HttpRequest, expected: number) => Promise<Body>

async function inviteUntil(admin: Account, count: number, call: Call): Promise<void> {
  const { length } = await call<unknown[]>(listUsers(admin), 200)
  for (let i = length; i < count; i++) {
    const body = { first_name: 'Ada', last_name: `Okafor ${i}`, access_level: 'bot' }
    const email = `bot-${i}-${randomUUID()}@example.com`
    const path = `/api/v1/users/invite/${admin.organization_id}`
    await call(jsonRequest('POST', path, { ...body, email }, admin.token), 200)
  }
}

/** A running session without prepared messages, and what a message to it needs. */
async function openRoom({ token }: Account, call: Call) {
  const sessions = '/api/v1/simulation/sessions'
  const body = { name: 'Monday', scenario_name: 'hr_workforce', mode: 'external' }
  const { _id } = await call<{ _id: string }>(jsonRequest('POST', sessions, body, token), 201)
  type Room = { conversations: { conversation_id: string }[]; cast: { user_id: string }[] }
  const start = jsonRequest('POST', `${sessions}/${_id}/start`, {}, token)
  const { conversations, cast } = await call<Room>(start, 200)
  return {
    path: `${sessions}/${_id}/messages`,
    conversation_id: conversations[0]?.conversation_id,
    as_character_id: cast[0]?.user_id,
  }
}

async function compare({ options, database }: Bench, folder: string) {
  const server = serverUrl()
  return withNewDatabases([server], 'workplace_ab_theirs', ([theirs = '']) =>
    withNewDatabases([server], 'workplace_ab', async ([ours = '']) => {
      const theirService = () =>
        startService(theirPlace, { from: folder, name: 'that', environment })
      const theirPlace = { databaseUrl: theirs }
      const requests = await withSides([theirService], ([side]) => fill(side as Side))
      // Both have the same data, made by the other commit.
      await withClient(server, async (client) => {
        await client.query('drop database workplace_ab')
        await client.query('create database workplace_ab template workplace_ab_theirs')
      })
      const ourService = () => startService({ databaseUrl: ours }, { name: 'this', environment })
      return withSides([ourService, theirService], async (sides) => {
        const measured = new Map<OperationName, Figures[]>()
        for (const name of operations) {
          const expectedStatus = name === 'post a message' ? 201 : 200
          const task = { request: requests[name], expectedStatus }
          const figures = await playRounds(options, task, sides, database.client)
          measured.set(
            name,
            sides.map((side) => figures.get(side) as Figures),
          )
        }
        return measured
      })
    }),
  )
}

export const ab = defineScenario({
  name: 'ab',
  question: 'What does a request cost beside another commit? Needs the commit: ab <commit>.',
  goals,
  run: async (bench) => {
    const { commit } = bench.options
    if (commit === null) throw new Error('Name the commit: npm run bench -- ab <commit>')
    const measured = await withCommit(commit, (folder) => compare(bench, folder))
    const share = (name: OperationName, figure: keyof Figures) => {
      const [ours, theirs] = measured.get(name) ?? []
      return ratio(ours?.[figure] ?? null, theirs?.[figure] ?? null)
    }
    const rows = operations.map((name): Row => {
      const [ours, theirs] = measured.get(name) ?? []
      return {
        operation: name,
        'CPU µs/request': ours?.serviceUs ?? null,
        'there µs': theirs?.serviceUs ?? null,
        'processor time ×': share(name, 'serviceUs'),
        'requests/s ×': share(name, 'requestsPerSecond'),
        'PostgreSQL time ×': share(name, 'postgresUs'),
      }
    })
    const figures = Object.fromEntries(
      operations.map((name) => [`processor time, ${name}`, share(name, 'serviceUs')]),
    ) as Record<keyof typeof goals, number | null>
    return { title: `this checkout beside ${commit}`, rows, figures }
  },
})

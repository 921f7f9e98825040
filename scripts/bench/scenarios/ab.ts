import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Account } from '../accounts.js'
import { getRequest, send } from '../client.js'
import { serverUrl, withClient, withNewDatabases } from '../database/connections.js'
import {
  makeCharacters,
  post,
  postMessage,
  registerAccount,
  runSession,
  sessionsPath,
} from '../fairness/scenery.js'
import { ratio } from '../measuring/statistics.js'
import { checkout } from '../paths.js'
import { type Side, startService, withSides } from '../processes.js'
import type { Row } from '../report.js'
import {
  listAuditEvents,
  listTemplates,
  listUsers,
  previewQuickSetup,
  recordAuditEvents,
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
  'preview of 50 people',
  'readiness of a drill',
] as const
type OperationName = (typeof operations)[number]

/** These wait for a turn to render, and an organization may have only a few waiting. */
const rendered: OperationName[] = ['preview of 50 people', 'readiness of a drill']
const renderingConnections = 2

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
const listedMessages = 100
/**
 * Many, because a session takes one message at a time, and 600 in a minute from one person. A fast machine
 * posts 38,000 in all turns of one side, within a minute.
 */
const sessionCount = 128

/** Fills an empty service by its API. Returns one request for each operation. */
async function fill({ url }: Side): Promise<Record<OperationName, Task['request']>> {
  const account = await registerAccount(url)
  const owner = { url, account }
  const [character] = await makeCharacters(owner, 6)
  await inviteUntil(owner, 91)
  for (let i = 0; i < 20; i++) await send(url, recordAuditEvents(account, 100 * i, 100), 201)
  const fields = { scenario_name: 'hr_workforce', mode: 'external' }
  const first = await runSession(owner, fields)
  const sessions = [first]
  while (sessions.length < sessionCount) sessions.push(await runSession(owner, fields))
  const postNext = (number: number) =>
    postMessage(account, sessions[number % sessionCount] ?? first, {
      as_character_id: character?._id ?? '',
      client_message_id: randomUUID(),
      content: `Message ${number}`,
    })
  for (let i = 0; i < listedMessages; i++) await send(url, postNext(i * sessionCount), 201)
  const planned = { name: 'A drill', scenario_name: 'hr_workforce', timing: 'drill' }
  const drill = await post<{ _id: string }>(owner, sessionsPath, planned, 201)
  return {
    'users, 91 rows': listUsers(account),
    'channel templates': listTemplates(account),
    'audit events, 100': listAuditEvents(account),
    'audit events of a category': listAuditEvents(account, { category: 'simulation' }),
    'current user': getRequest(account.token, '/api/v1/auth/me'),
    'list messages, 100': getRequest(account.token, `${sessionsPath}/${first._id}/messages`),
    'post a message': postNext,
    'preview of 50 people': previewQuickSetup(account, 50),
    // It tries the start and undoes it.
    'readiness of a drill': getRequest(account.token, `${sessionsPath}/${drill._id}/readiness`),
  }
}

async function inviteUntil(owner: { url: string; account: Account }, count: number): Promise<void> {
  const { body } = await send(owner.url, listUsers(owner.account), 200)
  const path = `/api/v1/users/invite/${owner.account.organization_id}`
  for (let i = (body as unknown[]).length; i < count; i++) {
    const email = `bot-${i}@example.com`
    const bot = { first_name: 'Ada', last_name: `Okafor ${i}`, access_level: 'bot', email }
    await post(owner, path, bot, 201)
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
        // Each has its own migrations by now. Without statistics the plans depend on autovacuum.
        for (const url of [ours, theirs]) {
          await withClient(url, (client) => client.query('vacuum analyze'))
        }
        const measured = new Map<OperationName, Figures[]>()
        for (const name of operations) {
          const expectedStatus = name === 'post a message' ? 201 : 200
          const task = { request: requests[name], expectedStatus }
          const connections = rendered.includes(name) ? renderingConnections : options.connections
          const load = { ...options, connections }
          const figures = await playRounds(load, task, sides, database.client)
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

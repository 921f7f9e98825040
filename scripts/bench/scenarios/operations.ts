import { isDeepStrictEqual } from 'node:util'
import type { Account } from '../accounts.js'
import { type HttpRequest, send } from '../client.js'
import type { TenantName } from '../data/tenants.js'
import { measureHashRate } from '../measuring/hash-rate.js'
import { median, ratio } from '../measuring/statistics.js'
import { type Side, startPeer, startService, withService, withSides } from '../processes.js'
import type { Row } from '../report.js'
import { listAuditEvents, listTemplates, listUsers, register } from '../requests.js'
import { type Bench, defineScenario, type Scenario } from '../scenario.js'
import { type Figures, playRounds, type Task } from './rounds.js'

type List = [
  name: string,
  title: string,
  tenant: TenantName,
  request: (account: Account) => HttpRequest,
  atLeast: number,
]

const lists: List[] = [
  ['audit100', 'audit events, 100 rows', 'auditMost', listAuditEvents, 0.85],
  ['audit1', 'audit events, 1 row', 'audit1', listAuditEvents, 0.85],
  ['users10', 'users, 10 rows', 'users10', listUsers, 0.75],
  ['users100', 'users, 100 rows', 'users100', listUsers, 0.8],
  ['templates', 'channel templates, 6 of 4 kB', 'templates', listTemplates, 0.85],
]

async function comparePeer({ options, database }: Bench, title: string, request: HttpRequest) {
  const place = { databaseUrl: database.url }
  const task = { request, expectedStatus: 200 }
  return withSides([() => startService(place), () => startPeer(place)], async (sides) => {
    await compareAnswers(task, sides)
    const figures = await playRounds(options, task, sides, database.client)
    const [service, bare] = sides.map((side) => figures.get(side)?.requestsPerSecond ?? null)
    return {
      title,
      rows: [...figures].map(([side, reached]) => rowOf(side, reached)),
      figures: { 'requests/s ÷ bare': ratio(service ?? null, bare ?? null) },
    }
  })
}

/** Throws unless all sides answer alike, so that they do the same work. */
async function compareAnswers({ request, expectedStatus }: Task, sides: Side[]): Promise<void> {
  const answers: unknown[] = []
  for (const { url } of sides) {
    const sent = typeof request === 'function' ? request(0) : request
    answers.push((await send(url, sent, expectedStatus)).body)
  }
  if (answers.every((answer) => isDeepStrictEqual(answer, answers[0]))) return
  const texts = answers.map((answer) => JSON.stringify(answer).slice(0, 2_000))
  throw new Error(`The answers differ:\n${texts.join('\n')}`)
}

const rowOf = ({ name }: Side, reached: Figures): Row => ({
  side: name,
  'requests/s': reached.requestsPerSecond,
  'p50 ms': reached.p50,
  'p99 ms': reached.p99,
  'CPU µs/request': reached.serviceUs,
  'PostgreSQL µs/request': reached.postgresUs,
})

const registration = defineScenario({
  name: 'register',
  question: 'Do registrations keep all cores busy with hashing passwords?',
  goals: { 'registrations/s ÷ argon2 alone': { atLeast: 0.8 } },
  run: ({ options, database }) =>
    withService({ databaseUrl: database.url }, async (service) => {
      const task = { request: register, expectedStatus: 201 }
      const turns: { argon2: number; row: Row; share: number | null }[] = []
      for (let round = 0; round < options.rounds; round++) {
        const argon2 = await measureHashRate(options.seconds)
        const one = { ...options, rounds: 1 }
        const reached = (await playRounds(one, task, [service], database.client)).get(service)
        if (!reached) throw new Error('The service was not measured')
        const share = ratio(reached.requestsPerSecond, argon2)
        turns.push({ argon2, row: rowOf(service, reached), share })
      }
      return {
        title: 'registrations (argon2id, 19 MiB, t=2, p=1)',
        rows: turns.map(({ argon2, row }) => ({ ...row, 'argon2 alone/s': argon2 })),
        figures: { 'registrations/s ÷ argon2 alone': median(turns.map(({ share }) => share)) },
      }
    }),
})

export const operations: Scenario[] = [
  ...lists.map(([name, title, tenant, request, atLeast]) =>
    defineScenario({
      name,
      question: `How close does the service come to the bare peer: ${title}?`,
      goals: { 'requests/s ÷ bare': { atLeast } },
      run: (bench) => comparePeer(bench, title, request(bench.tenants[tenant])),
    }),
  ),
  registration,
]

import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { insertMembers, type Member } from '../database/members.js'
import { type Side, startService, withSides } from '../processes.js'
import { addEndedDecisions } from './decisions.js'
import { type Delivery, selectDelivery } from './delivery.js'
import { type Following, followSession } from './reader.js'
import * as stages from './stage.js'

const maxOrganizations = 100
/** The clocks start so long after the inserts and the start of the processes. */
const leadMs = 30_000
/** Messages that are not posted so long after the measured time are missing. */
const patienceMs = 10_000

export interface Play {
  sessions: number
  /** The lines of each round; one line if they are left out. */
  round?: readonly stages.PlanLine[]
  roundMs: number
  /** In each round the lines of the sessions are spread over this time. */
  spreadMs: number
  /** Messages that are due in this time are measured. */
  fromMs: number
  toMs: number
  /** If it is given, one process is killed in every round, shortly after this time of the round. */
  killsAfterMs?: number
  readers: number
  /** How many employees each organization has. All of them take part in all its sessions. */
  employees?: number
  /** Whether a third of the lines depend on a decision that has ended. */
  isConditional?: boolean
}

/** A play while it runs. */
export interface Scene {
  /** The processes that run now. */
  sides: readonly Side[]
  members: readonly Member[]
  sessions: readonly stages.Played[]
  rounds: number
  /** When the clock of all sessions has reached a time. */
  at(ms: number): Date
}

interface Parts<Seen> {
  /** Is done while the sessions run. */
  act?(scene: Scene): Promise<unknown>
  /** Looks at the database in the end. */
  look?(client: pg.Client): Promise<Seen>
}

export interface Outcome<Seen> extends Play, Delivery {
  rounds: number
  read: Following[]
  /** Messages that the readers should have read. */
  sent: number
  seen: Seen | null
}

/** Plays sessions with two processes. */
export function play<Seen = null>(
  server: string,
  size: Play,
  { act, look }: Parts<Seen> = {},
): Promise<Outcome<Seen>> {
  return stages.withStage(server, async ({ databaseUrl, client }) => {
    const { fromMs, toMs, killsAfterMs, readers } = size
    const { members, sessions, rounds, at } = await prepare(client, size)
    const start = () => startService({ databaseUrl })
    return withSides([start, start], async (sides) => {
      const followed = sessions.slice(0, readers)
      const following = followed.map((session, i) => follow(session, members, sides, i))
      await Promise.all([
        act?.({ sides, members, sessions, rounds, at }),
        killsAfterMs !== undefined &&
          killInTurns(sides, start, rounds, (round) => at(round * size.roundMs + killsAfterMs)),
      ])
      await sleep(at(toMs + patienceMs).getTime() - Date.now())
      const delivery = await selectDelivery(client, at(fromMs), at(toMs))
      const read = await Promise.all(following)
      const sent = await countMessages(client, followed)
      return { ...size, ...delivery, rounds, read, sent, seen: (await look?.(client)) ?? null }
    })
  })
}

/** Inserts the sessions and those who take part. */
async function prepare(client: pg.Client, size: Play) {
  const { sessions, round, roundMs, spreadMs, toMs, killsAfterMs, readers, employees = 0 } = size
  const organizations = Math.min(sessions, maxOrganizations)
  const members = await insertMembers(client, { organizations, employees })
  const anchorAt = new Date(Date.now() + leadMs)
  const rounds = Math.ceil((toMs + (killsAfterMs === undefined ? patienceMs : 0)) / roundMs)
  const played = await stages.insertSessions(client, {
    organizations: [...new Set(members.map(({ organization_id }) => organization_id))],
    ...{ sessions, rounds, anchorAt, everyMs: roundMs, spreadMs, ...(round && { round }) },
    endMs: readers > 0 ? rounds * roundMs : null,
  })
  await stages.joinEmployees(client)
  if (size.isConditional) await addEndedDecisions(client)
  await stages.keepPlans(client)
  await stages.settle(client)
  const at = (ms: number) => new Date(anchorAt.getTime() + ms)
  return { members, sessions: played, rounds, at }
}

/** Follows a session as the admin, at the other process after each break. */
function follow(
  { _id, organization_id }: stages.Played,
  members: readonly Member[],
  sides: readonly Side[],
  first: number,
) {
  const admin = members.find(
    (one) => one.role === 'admin' && one.organization_id === organization_id,
  )
  let turn = first
  return followSession(_id, admin?.token ?? '', () => sides[turn++ % 2]?.url ?? '')
}

/** Each kill comes in the part of a round in which messages are due. */
const killMs = { from: 200, to: 1_000 }

/** Kills one of the processes in each round, and starts another in its place. */
async function killInTurns(
  sides: Side[],
  start: () => Promise<Side>,
  rounds: number,
  startOf: (round: number) => Date,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const within = killMs.from + Math.random() * (killMs.to - killMs.from)
    const waitMs = startOf(round).getTime() + within - Date.now()
    if (waitMs < 0) throw new Error('The machine is too busy: a start takes longer than a round')
    await sleep(waitMs)
    await sides[round % 2]?.stop('SIGKILL')
    sides[round % 2] = await start()
  }
}

async function countMessages(client: pg.Client, sessions: readonly stages.Played[]) {
  const { rows } = await client.query<{ sent: number }>(
    'select count(*)::integer as sent from session_messages where session_id = any($1::uuid[])',
    [sessions.map(({ _id }) => _id)],
  )
  return rows[0]?.sent ?? 0
}

/** Adds up a number of each. */
export const sumOf = <T>(all: readonly T[], number: (one: T) => number) =>
  all.reduce((total, one) => total + number(one), 0)

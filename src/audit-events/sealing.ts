import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import type { Clock } from '../clock.js'
import { progressOf } from '../database/distribution.js'
import type { Database } from '../database/schema.js'
import { type CodedError, hasAnswered } from '../failures.js'
import { type Repetition, repeat } from '../repeat.js'
import { beforeAll, sealTrail } from './seal.js'
import * as queries from './seal-queries.js'
import { sealAtOnce, sealSeveral } from './seal-several.js'
import { selectQueue } from './seal-several-queries.js'

type Db = Kysely<Database>

/** The longest pause of a process between two looks, so that all events are sealed within two seconds. */
const mostMs = 1_000
/** A look ends after that, however much waits, and the next one goes on from there. */
const longestLookMs = 5_000
/** How many statements an organization that is sealed alone may try before the next one's turn. */
const turn = 2

/** How far a round through all organizations has come, sorted by id. */
interface Round {
  /** The organization that had its turn last. */
  after: string
  /** Whether an organization may have more than its turn could seal, so that it needs another. */
  hasMore: boolean
  /** Whether the events that come next were refused together once. */
  isSecondTry: boolean
  /** Why an organization could not be sealed. */
  failure: unknown
}

/** Seals a part of what waits. Returns whether the round is complete. */
type SealPart = (db: Db, round: Round, isOver: () => boolean) => Promise<boolean>

/**
 * Returns a function that seals what waits, in rounds in which each organization has one turn: one
 * that records a million events delays the others by a statement a round, and one that cannot be
 * sealed keeps no other waiting.
 */
export function createSealer(db: Db): (isStopped?: () => boolean) => Promise<void> {
  let round: Round = { after: beforeAll, hasMore: false, isSecondTry: false, failure: null }
  let sealPart: SealPart | undefined
  return async (isStopped = () => false) => {
    // A statement over several organizations takes a cluster many steps.
    sealPart ??= (await progressOf(db)) === 'none' ? sealTogether : sealOneByOne
    const end = performance.now() + longestLookMs
    const isOver = () => isStopped() || performance.now() > end
    round.failure = null
    let hasWork = true
    while (hasWork && !isOver()) {
      const isComplete = await sealPart(db, round, isOver)
      hasWork = !isComplete || round.hasMore
      if (isComplete) round = { ...round, after: beforeAll, hasMore: false }
    }
    if (round.failure) throw round.failure
  }
}

/** Seals the first events that wait, of several organizations with one statement. */
const sealTogether: SealPart = async (db, round, isOver) => {
  const queue = await selectQueue(db, { after: round.after })
  const isLast = !queries.isFull(queue)
  const organization_ids = new Set(queue.map(({ organization_id }) => organization_id))
  // Sealing an organization by itself gets past events that are lost.
  const lost = queue.filter(({ document }) => document === null)
  const incomplete = new Set(lost.map(({ organization_id }) => organization_id))
  const complete = queue.filter(({ organization_id }) => !incomplete.has(organization_id))
  const refused = round.isSecondTry ? await sealSeveral(db, complete, isOver) : []
  if (!round.isSecondTry && !(await sealAtOnce(db, complete))) {
    // Another process may just have sealed the same events. A new look at the queue shows that.
    round.isSecondTry = true
    return false
  }
  round.isSecondTry = false
  const others = [...organization_ids].filter((id) => incomplete.has(id) || refused.includes(id))
  if (others.length < organization_ids.size && !isLast) round.hasMore = true
  if (!(await sealEach(db, round, others, isOver))) return false
  round.after = queue.at(-1)?.organization_id ?? round.after
  return isLast
}

/** Seals the first organizations that have something to be sealed, one after the other. */
const sealOneByOne: SealPart = async (db, round, isOver) => {
  const found = await queries.selectOrganizationsToSeal(db, { after: round.after })
  const organization_ids = found.map(({ organization_id }) => organization_id)
  return (await sealEach(db, round, organization_ids, isOver)) && found.length < queries.batch
}

/** Gives each organization its turn. Returns whether all had it. */
async function sealEach(db: Db, round: Round, organization_ids: string[], isOver: () => boolean) {
  for (const organization_id of organization_ids) {
    if (isOver()) return false
    round.after = organization_id
    try {
      if (!(await sealTrail(db, organization_id, turn))) round.hasMore = true
    } catch (error) {
      if (!hasAnswered(error as CodedError)) throw error
      round.failure = error
    }
  }
  return true
}

/**
 * Seals what all processes record, beside them. The other way is for each write to lock the end of
 * the chain and advance it in its own transaction: measured in the same way (`npm run bench --
 * audit-chain`), it left 32 writers in one organization 0.51 of what they reach without a chain,
 * because they waited for each other's commits, where this leaves 0.91.
 */
export function keepSealing(
  db: Db,
  log: Pick<FastifyBaseLogger, 'warn'>,
  clock?: Clock,
): Repetition {
  const seal = createSealer(db)
  let isFailing = false
  async function look(isStopped: () => boolean): Promise<void> {
    try {
      await seal(isStopped)
      isFailing = false
    } catch (err) {
      if (!isFailing) log.warn({ err }, 'audit events are not sealed for now')
      isFailing = true
    }
  }
  // Of several processes no two keep looking at the same moment.
  const pauseMs = mostMs * (0.75 + Math.random() / 4)
  return repeat(look, { firstMs: pauseMs, pauseMs }, clock)
}

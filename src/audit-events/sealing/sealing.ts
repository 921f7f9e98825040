import type { FastifyBaseLogger } from 'fastify'
import { progressOf } from '../../database/distribution.js'
import { type CodedError, hasAnswered } from '../../database/errors.js'
import type { Db } from '../../database/schema.js'
import type { Clock } from '../../process/clock.js'
import { type Repetition, repeat } from '../../process/repeat.js'
import { beforeAll, sealTrail } from './seal.js'
import * as queries from './seal-queries.js'
import { sealSeveral, sealTogether } from './seal-several.js'
import { selectQueue } from './seal-several-queries.js'

/** The longest pause between two looks at the queue. All events are sealed within two seconds. */
const pauseLimitMs = 1_000
/** A look ends after this time even if events are waiting. The next look continues from there. */
const maxLookMs = 5_000
/** The most statements in the turn of an organization that is sealed alone. */
const triesPerTurn = 2

/** The progress of a round through all organizations, sorted by id. */
interface Round {
  /** The organization that had its turn last. */
  after: string
  /** Whether an organization may have more events than its turn could seal. */
  hasMore: boolean
  /** Whether the next events were already refused once as one statement. */
  isSecondTry: boolean
  /** The error of an organization that could not be sealed. */
  failure: unknown
}

/** Seals some of the waiting events. Returns whether the round is complete. */
type SealStep = (db: Db, round: Round, isOver: () => boolean) => Promise<boolean>

/**
 * Returns a function that seals the waiting events, in rounds in which each organization has one turn.
 * So an organization with a million events delays the others by one statement a round, and one
 * that cannot be sealed does not block the others.
 */
export function createSealer(db: Db): (isStopped?: () => boolean) => Promise<void> {
  let round: Round = { after: beforeAll, hasMore: false, isSecondTry: false, failure: null }
  let sealStep: SealStep | undefined
  return async (isStopped = () => false) => {
    // On a cluster, a statement over several organizations takes many steps.
    sealStep ??= (await progressOf(db)) === 'none' ? sealBatch : sealOneByOne
    const end = performance.now() + maxLookMs
    const isOver = () => isStopped() || performance.now() > end
    round.failure = null
    let hasWork = true
    while (hasWork && !isOver()) {
      const isComplete = await sealStep(db, round, isOver)
      hasWork = !isComplete || round.hasMore
      if (isComplete) round = { ...round, after: beforeAll, hasMore: false }
    }
    if (round.failure) throw round.failure
  }
}

/** Seals the first waiting events of several organizations with one statement. */
const sealBatch: SealStep = async (db, round, isOver) => {
  const queue = await selectQueue(db, { after: round.after })
  const isLast = !queries.isFull(queue)
  const organization_ids = new Set(queue.map(({ organization_id }) => organization_id))
  // An organization with lost events is sealed alone: only that skips lost events.
  const lost = queue.filter(({ document }) => document === null)
  const incomplete = new Set(lost.map(({ organization_id }) => organization_id))
  const complete = queue.filter(({ organization_id }) => !incomplete.has(organization_id))
  const refused = round.isSecondTry ? await sealSeveral(db, complete, isOver) : []
  if (!round.isSecondTry && !(await sealTogether(db, complete))) {
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

/** Seals the first organizations with waiting events, one after the other. */
const sealOneByOne: SealStep = async (db, round, isOver) => {
  const found = await queries.selectOrganizationsToSeal(db, { after: round.after })
  const organization_ids = found.map(({ organization_id }) => organization_id)
  return (
    (await sealEach(db, round, organization_ids, isOver)) && found.length < queries.sealBatchSize
  )
}

/** Seals each organization in its turn. Returns whether all had their turn. */
async function sealEach(db: Db, round: Round, organization_ids: string[], isOver: () => boolean) {
  for (const organization_id of organization_ids) {
    if (isOver()) return false
    round.after = organization_id
    try {
      if (!(await sealTrail(db, organization_id, triesPerTurn))) round.hasMore = true
    } catch (error) {
      if (!hasAnswered(error as CodedError)) throw error
      round.failure = error
    }
  }
  return true
}

/**
 * Seals the events of all processes in the background. The alternative is that each write locks the
 * end of the chain and extends it in its own transaction. Then 32 writers in one organization reach
 * 0.51 of their throughput without a chain, because they wait for each other's commits. With sealing
 * in the background they reach 0.91 (`npm run bench -- audit-chain`).
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
      if (!isFailing) log.warn({ err }, 'audit events could not be sealed')
      isFailing = true
    }
  }
  // A random pause, so that several processes do not keep looking at the same moment.
  const pauseMs = pauseLimitMs * (0.75 + Math.random() / 4)
  return repeat(look, { firstMs: pauseMs, pauseMs }, clock)
}

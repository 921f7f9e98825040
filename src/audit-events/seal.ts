import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.js'
import { type CodedError, isBroken } from '../failures.js'
import { type Repetition, repeat } from '../repeat.js'
import { type Link, linkOf, linkTo } from './chain.js'
import * as queries from './chain-queries.js'

type Db = Kysely<Database>

/** The longest pause of a process between two looks, so that all events are sealed within two seconds. */
const mostMs = 1_000

/** Of ids in their order. */
const beforeAll = '00000000-0000-0000-0000-000000000000'

/**
 * Puts every event of an organization that is committed by now into its chain. Any number may do so
 * at once: a batch is one statement, and its first number can be taken only once.
 */
export async function sealTrail(
  db: Db,
  organization_id: string,
  isStopped: () => boolean = () => false,
): Promise<void> {
  let after = beforeAll
  while (!isStopped()) {
    const queued = await queries.selectUnsealed(db, { organization_id, after })
    const last = queued.at(-1)
    if (!last) return
    const events = queued.flatMap(({ event_id, document }) =>
      document === null ? [] : { event_id, document },
    )
    if (!(await insertSeals(db, organization_id, linkOf(last), events))) continue
    if (queued.length < queries.batch) return
    after = last.event_id
  }
}

/** Whether nobody else has sealed the same events meanwhile. */
async function insertSeals(
  db: Db,
  organization_id: string,
  end: Link,
  events: { event_id: string; document: string }[],
): Promise<boolean> {
  if (events.length === 0) return true
  let link = end
  const hashes: string[] = []
  for (const { document } of events) {
    link = linkTo(link, document)
    hashes.push(link.hash.toString('hex'))
  }
  const event_ids = events.map(({ event_id }) => event_id)
  try {
    await queries.insertSeals(db, {
      organization_id,
      sequence: end.sequence + 1,
      event_ids,
      hashes,
    })
    return true
  } catch (error) {
    if (isBroken('audit_seals_primary_key', error as CodedError)) return false
    throw error
  }
}

/**
 * Seals what all processes record, beside them. The other way is for each write to lock the end of
 * the chain and advance it in its own transaction: measured in the same way (`npm run bench --
 * audit-chain`), it left 32 writers in one organization 0.51 of what they reach without a chain,
 * because they waited for each other's commits, where this leaves 0.91; over 200 organizations it
 * cost nothing that could be measured, where this costs 7 % of a branding's throughput.
 */
export function keepSealing(db: Db, log: Pick<FastifyBaseLogger, 'warn'>): Repetition {
  let isFailing = false
  async function sealAll(isStopped: () => boolean): Promise<void> {
    try {
      const organizations = await queries.selectOrganizationsToSeal(db)
      let failed: unknown
      for (const organization_id of organizations) {
        // One that cannot be sealed keeps no other waiting.
        await sealTrail(db, organization_id, isStopped).catch((error) => {
          failed = error
        })
      }
      if (failed) throw failed
      isFailing = false
    } catch (err) {
      if (!isFailing) log.warn({ err }, 'audit events are not sealed for now')
      isFailing = true
    }
  }
  // Of several processes no two keep looking at the same moment.
  const pauseMs = mostMs * (0.75 + Math.random() / 4)
  return repeat(sealAll, { firstMs: pauseMs, pauseMs })
}

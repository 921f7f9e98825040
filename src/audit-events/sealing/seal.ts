import { type CodedError, isBroken } from '../../database/errors.js'
import type { Db } from '../../database/schema.js'
import { linkOf, linksAfter } from '../chain/chain.js'
import * as queries from './seal-queries.js'

/** Sorts before every id. */
export const beforeAll = '00000000-0000-0000-0000-000000000000'

/**
 * Seals every committed event of an organization. Several processes can do so at the same time: a
 * batch is one statement, and its first number can be taken only once. Tries at most `maxTries`
 * statements, and returns whether it sealed all events.
 */
export async function sealTrail(
  db: Db,
  organization_id: string,
  maxTries = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  let after = beforeAll
  for (let tried = 0; tried < maxTries; tried++) {
    const queued = await queries.selectUnsealed(db, { organization_id, after })
    const last = queued.at(-1)
    if (!last) return true
    if (!(await sealBatch(db, organization_id, queued))) continue
    if (!queries.isFull(queued)) return true
    after = last.event_id
  }
  return false
}

type Queued = Awaited<ReturnType<typeof queries.selectUnsealed>>

/** Seals events. Returns false if another process has taken their numbers in the meantime. */
async function sealBatch(db: Db, organization_id: string, queued: Queued): Promise<boolean> {
  const events = queued.flatMap(({ event_id, document }) =>
    document === null ? [] : { event_id, document },
  )
  if (events.length === 0) return true
  const end = linkOf(queued[0])
  const links = linksAfter(
    end,
    events.map(({ document }) => document),
  )
  try {
    await queries.insertSeals(db, {
      organization_id,
      sequence: end.sequence + 1,
      event_ids: events.map(({ event_id }) => event_id),
      hashes: links.map(({ hash }) => hash.toString('hex')),
    })
    return true
  } catch (error) {
    if (isBroken('audit_seals_primary_key', error as CodedError)) return false
    throw error
  }
}

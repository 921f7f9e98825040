import { type CodedError, hasAnswered } from '../../database/errors.js'
import type { Db } from '../../database/schema.js'
import { beginning, linkOf, linkTo } from '../chain/chain.js'
import { insertSealsOfSeveral, type QueuedEvent, type Seals } from './seal-several-queries.js'

/** Seals events of several organizations with one statement: all or none. Returns whether it did. */
export async function sealTogether(db: Db, queue: QueuedEvent[]): Promise<boolean> {
  if (queue.length === 0) return true
  try {
    await insertSealsOfSeveral(db, sealsOf(queue))
    return true
  } catch (error) {
    // Another process has sealed some of them in the meantime, or one organization cannot be sealed.
    if (!hasAnswered(error as CodedError)) throw error
    return false
  }
}

/**
 * Seals events of several organizations, sorted by organization. If the database refuses the
 * statement, it tries each half of the organizations, and so on. So a refused organization costs a
 * few statements, not one for each of the others. Returns the organizations that are not sealed:
 * those that were refused alone, and those that were not tried before the time was over.
 */
export async function sealSeveral(
  db: Db,
  queue: QueuedEvent[],
  isOver: () => boolean = () => false,
): Promise<string[]> {
  const ids = [...new Set(queue.map(({ organization_id }) => organization_id))]
  if (isOver()) return ids
  if (await sealTogether(db, queue)) return []
  if (ids.length === 1) return ids
  const middle = ids[Math.floor(ids.length / 2)]
  const half = queue.findIndex(({ organization_id }) => organization_id === middle)
  const first = await sealSeveral(db, queue.slice(0, half), isOver)
  return [...first, ...(await sealSeveral(db, queue.slice(half), isOver))]
}

function sealsOf(queue: QueuedEvent[]): Seals {
  const seals: Seals = { organization_ids: [], sequences: [], event_ids: [], hashes: [] }
  let organization: string | undefined
  let link = beginning
  for (const { organization_id, event_id, document, ...end } of queue) {
    link = linkTo(organization_id === organization ? link : linkOf(end), document ?? '')
    organization = organization_id
    seals.organization_ids.push(organization_id)
    seals.sequences.push(link.sequence)
    seals.event_ids.push(event_id)
    seals.hashes.push(link.hash.toString('hex'))
  }
  return seals
}

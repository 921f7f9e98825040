import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.js'
import { beginning, linkOf, linkTo } from './chain.js'
import { insertSealsOfSeveral, type QueuedEvent, type Seals } from './seal-several-queries.js'

/**
 * Seals events of several organizations, sorted by organization, with one statement. Returns whether
 * they are sealed: all of them are, or none.
 */
export async function sealSeveral(db: Kysely<Database>, queue: QueuedEvent[]): Promise<boolean> {
  if (queue.length === 0) return true
  try {
    await insertSealsOfSeveral(db, sealsOf(queue))
    return true
  } catch {
    // Another process has sealed some of them meanwhile, or one organization cannot be sealed.
    return false
  }
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

import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import { selectSpeakers } from '../channel-templates/sender-queries.js'
import type { Database } from '../database/schema.js'
import { selectKeyTimes } from './queries.js'

type Trx = Transaction<Database>

/**
 * How people use characters who are locked, so that nobody begins to: since when by a key, in other
 * templates than these, and in sessions.
 */
export async function selectUses(
  trx: Trx,
  organization_id: string,
  character_ids: string[],
  template_ids: string[],
) {
  const isAsked = character_ids.length > 0
  return {
    keys: await selectKeyTimes(trx, organization_id, character_ids),
    speakers: isAsked
      ? await selectSpeakers(trx, organization_id, template_ids)
      : new Set<string>(),
    playing: isAsked ? await selectPlaying(trx, organization_id, character_ids) : new Set<string>(),
  }
}

/** Which of these characters are in the cast of a session that has started. */
async function selectPlaying(
  trx: Trx,
  organization_id: string,
  character_ids: string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ _id: string }>`
    select distinct unnest(cast_ids) as _id from simulation_sessions
    where organization_id = ${organization_id}
      and cast_ids && ${character_ids}::text[]`.execute(trx)
  return new Set(rows.map(({ _id }) => _id))
}

import { sql } from 'kysely'
import { selectSpeakers } from '../../channel-templates/rows/sender-queries.js'
import type { Trx } from '../../database/schema.js'
import { selectKeyTimes } from '../queries.js'

/**
 * How people use characters: when each got its latest API key, who speaks in templates other than the
 * setup's own, and who is in the cast of a started session. The characters are locked, so that no new
 * use begins meanwhile.
 */
export async function selectUses(
  trx: Trx,
  organization_id: string,
  { character_ids, ownTemplateIds }: { character_ids: string[]; ownTemplateIds: string[] },
) {
  const hasCharacters = character_ids.length > 0
  return {
    keys: await selectKeyTimes(trx, organization_id, character_ids),
    speakers: hasCharacters
      ? await selectSpeakers(trx, organization_id, ownTemplateIds)
      : new Set<string>(),
    playing: hasCharacters
      ? await selectPlaying(trx, organization_id, character_ids)
      : new Set<string>(),
  }
}

/** The characters among these that are in the cast of a started session. */
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

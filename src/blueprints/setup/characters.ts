import { selectTemplateOrigins } from '../../channel-templates/rows/setup-queries.js'
import type { Schema } from '../../contract.js'
import type { Trx } from '../../database/schema.js'
import type { Profile } from '../../users/setup-queries.js'
import {
  type Bundle,
  type BundleCharacter,
  type BundleRequest,
  composeBundle,
} from '../bundle/compose.js'
import type { Catalogue } from '../catalogue/entries.js'
import * as queries from '../queries.js'
import type { CharacterRow } from './changes.js'
import { planRows, type Setup } from './reconcile.js'
import { selectUses } from './use-queries.js'

/** Plans a user for each character of the bundle. `ids` maps a character's key to the user's id. */
export async function planCharacters(trx: Trx, setup: Setup, { characters }: Bundle) {
  const wanted = new Map(characters.map((character) => [character.key, character]))
  const existing = await selectExisting(trx, setup, wanted)
  const { changes, skip, rowsAfter } = planRows<BundleCharacter, CharacterRow, Profile>(setup, {
    wanted,
    existing,
    newRow: (character) => characterRow(setup, character),
    newValues: (character) => profileOf(setup, character),
    nameOf: ({ full_name }) => full_name,
  })
  return {
    changes,
    skipped: skip.map(({ item: { name, row }, reason }) => {
      const full_name = wanted.get(name)?.full_name ?? row?.full_name ?? null
      return { kind: 'character', name: full_name, reason }
    }),
    ids: new Map(rowsAfter.map(({ character_key, _id }) => [character_key, _id])),
    payload: () => rowsAfter.map((character) => userOf(setup, character)),
  }
}

/** The users of an earlier application, each with the reason why it must not be removed. */
async function selectExisting(
  trx: Trx,
  { _id: setup_id, organization_id, scenario_type, isNew, lock }: Setup,
  wanted: ReadonlyMap<string, unknown>,
) {
  if (isNew) return []
  const rows = await queries.selectCharacters(trx, organization_id, setup_id, { lock })
  const unwanted = rows.filter(({ character_key }) => !wanted.has(character_key))
  const ids = unwanted.map(({ _id }) => _id)
  const templates = await selectTemplateOrigins(trx, organization_id, scenario_type)
  const ownTemplates = templates.filter((one) => one.setup_id === setup_id)
  const { keys, speakers, playing } = await selectUses(trx, organization_id, {
    character_ids: ids,
    ownTemplateIds: ownTemplates.map(({ _id }) => _id),
  })
  const reasonOf = (_id: string) => {
    if (keys.has(_id)) return 'has_api_key'
    if (speakers.has(_id)) return 'speaks'
    return playing.has(_id) ? 'in_session' : undefined
  }
  return rows.map(({ organization_id, _id, ...row }) => {
    const keepReason = reasonOf(_id)
    return { _id, name: row.character_key, setup_id, keepReason, row }
  })
}

/** Composes a bundle whose usernames no other user of the organization has. */
export async function composeWithFreeUsernames(
  trx: Trx,
  catalogue: Catalogue,
  request: BundleRequest,
): Promise<Bundle> {
  const { organization_id, scenario_type } = request
  const takenUsernames = new Set<string>()
  for (;;) {
    const bundle = composeBundle(catalogue, { ...request, takenUsernames })
    const usernames = bundle.characters.map(({ username }) => username)
    const taken = await queries.selectTakenUsernames(trx, organization_id, scenario_type, usernames)
    if (taken.length === 0) return bundle
    for (const username of taken) takenUsernames.add(username)
  }
}

function profileOf(
  { scenario_type: scenario_name, applied_at }: Setup,
  character: BundleCharacter,
) {
  const { key, avatar_url, metadata, ...profile } = character
  return { ...profile, metadata: { ...metadata, scenario_name }, updated_at: applied_at }
}

function characterRow(setup: Setup, character: BundleCharacter): CharacterRow {
  const { key: character_key, username, avatar_url } = character
  return {
    ...profileOf(setup, character),
    // RFC 2606: mail to .invalid is never delivered. A character has no account, so its address is
    // not in the registry of addresses.
    email: `${username}@characters.invalid`,
    avatar_url,
    role: 'bot',
    is_bot: true,
    is_active: true,
    last_seen: null,
    guest_of: null,
    email_verified_at: null,
    created_at: setup.applied_at,
    setup_id: setup._id,
    character_key,
  }
}

function userOf({ organization_id }: Setup, character: CharacterRow & { _id: string }) {
  const { setup_id, character_key, ...user } = character
  return { organization_id, ...user } satisfies Schema<'User'>
}

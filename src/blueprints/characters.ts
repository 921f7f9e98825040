import type { Transaction } from 'kysely'
import { selectTemplateOrigins } from '../channel-templates/setup-queries.js'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import type { Profile } from '../users/setup-queries.js'
import {
  type Bundle,
  type BundleCharacter,
  type BundleRequest,
  composeBundle,
} from './bundle/compose.js'
import type { Catalogue } from './catalogue/entries.js'
import type { CharacterRow } from './changes.js'
import * as queries from './queries.js'
import { planRows, type Setup } from './reconcile.js'
import { selectUses } from './use-queries.js'

type Trx = Transaction<Database>

/** Makes the cast users of the organization. `ids` are the users' ids by the character's key. */
export async function planCharacters(trx: Trx, setup: Setup, { characters }: Bundle) {
  const wanted = new Map(characters.map((character) => [character.key, character]))
  const present = await selectPresent(trx, setup, wanted)
  const { changes, leave, made } = planRows<BundleCharacter, CharacterRow, Profile>(
    setup,
    wanted,
    present,
    {
      make: (character) => characterRow(setup, character),
      rewrite: (character) => profileOf(setup, character),
      nameOf: ({ full_name }) => full_name,
    },
  )
  return {
    changes,
    skipped: leave.map(({ item: { name, row }, reason }) => {
      const full_name = wanted.get(name)?.full_name ?? row?.full_name ?? null
      return { kind: 'character', name: full_name, reason }
    }),
    ids: new Map(made.map(({ character_key, _id }) => [character_key, _id])),
    made: () => made.map((character) => userOf(setup, character)),
  }
}

async function selectPresent(
  trx: Trx,
  { _id: setup_id, organization_id, scenario_type, isNew, toChange }: Setup,
  wanted: ReadonlyMap<string, unknown>,
) {
  if (isNew) return []
  const rows = await queries.selectCharacters(trx, organization_id, setup_id, { toChange })
  const unwanted = rows.filter(({ character_key }) => !wanted.has(character_key))
  const ids = unwanted.map(({ _id }) => _id)
  const templates = await selectTemplateOrigins(trx, organization_id, scenario_type)
  const ours = templates.filter((one) => one.setup_id === setup_id).map(({ _id }) => _id)
  const { keys, speakers, playing } = await selectUses(trx, organization_id, ids, ours)
  const reasonOf = (_id: string) => {
    if (keys.has(_id)) return 'has_api_key'
    if (speakers.has(_id)) return 'speaks'
    return playing.has(_id) ? 'in_session' : undefined
  }
  return rows.map(({ organization_id, _id, ...row }) => {
    const stays = reasonOf(_id)
    return { _id, name: row.character_key, setup_id, stays, row }
  })
}

/** Composes a bundle in which no character has the username of somebody else. */
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

function profileOf({ scenario_type: scenario_name, time }: Setup, character: BundleCharacter) {
  const { key, avatar_url, metadata, ...profile } = character
  return { ...profile, metadata: { ...metadata, scenario_name }, updated_at: time }
}

function characterRow(setup: Setup, character: BundleCharacter): CharacterRow {
  const { key: character_key, username, avatar_url } = character
  return {
    ...profileOf(setup, character),
    // RFC 2606: nobody receives mail there. A character has no account, so the registry of
    // addresses does not know it.
    email: `${username}@characters.invalid`,
    avatar_url,
    role: 'bot',
    is_bot: true,
    is_active: true,
    last_seen: null,
    created_at: setup.time,
    setup_id: setup._id,
    character_key,
  }
}

function userOf({ organization_id }: Setup, character: CharacterRow & { _id: string }) {
  const { setup_id, character_key, ...user } = character
  return { organization_id, ...user } satisfies Schema<'User'>
}

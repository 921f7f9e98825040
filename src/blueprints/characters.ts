import type { Transaction } from 'kysely'
import { jsonb } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import { createId } from '../identifiers.js'
import type { AccessTransaction } from '../identity/access-changes.js'
import { deleteUsers, insertUsers, type NewUser } from '../users/queries.js'
import { updateProfiles } from '../users/update-queries.js'
import {
  type Bundle,
  type BundleCharacter,
  type BundleRequest,
  composeBundle,
} from './bundle/compose.js'
import { loadCatalogue } from './catalogue/load.js'
import * as queries from './queries.js'
import { type Outcome, reconcile, type Setup } from './reconcile.js'

/** Makes the cast users of the organization. `ids` are the users' ids by the character's key. */
export async function applyCharacters(
  trx: AccessTransaction,
  setup: Setup,
  { characters }: Bundle,
): Promise<Outcome & { ids: Map<string, string> }> {
  const { organization_id, _id: setup_id } = setup
  const wanted = new Map(characters.map((character) => [character.key, character]))
  const present = await queries.selectCharacters(trx, organization_id, setup_id)
  const { create, replace, remove, leave, ids } = reconcile(setup, wanted, present)

  const users = create.map(([, character]) => characterUser(setup, character, createId()))
  const rows = create.map(([character_key], index) => {
    const user_id = users[index]?._id ?? ''
    ids.set(character_key, user_id)
    return { organization_id, user_id, setup_id, character_key }
  })
  await insertUsers(trx, users)
  await queries.insertCharacters(trx, rows)
  const again = replace.map(({ _id, item }) => characterUser(setup, item, _id))
  await updateProfiles(trx, again)
  await deleteUsers(trx, organization_id, remove)

  const skipped = leave.map(({ name, reason }) => ({
    kind: 'character',
    name: wanted.get(name)?.full_name ?? null,
    reason,
  }))
  return { created: users.length, updated: again.length, removed: remove.length, skipped, ids }
}

/** Composes a bundle in which no character has the username of somebody else. */
export async function composeWithFreeUsernames(
  trx: Transaction<Database>,
  request: BundleRequest,
): Promise<Bundle> {
  const { organization_id, scenario_type } = request
  const takenUsernames = new Set<string>()
  for (;;) {
    const bundle = composeBundle(loadCatalogue(), { ...request, takenUsernames })
    const usernames = bundle.characters.map(({ username }) => username)
    const taken = await queries.selectTakenUsernames(trx, organization_id, scenario_type, usernames)
    if (taken.length === 0) return bundle
    for (const username of taken) takenUsernames.add(username)
  }
}

function characterUser(setup: Setup, character: BundleCharacter, _id: string): NewUser {
  const { username, full_name, avatar_url, bio } = character
  return {
    organization_id: setup.organization_id,
    _id,
    username,
    // RFC 2606: nobody receives mail there. A character has no account, so the registry of
    // addresses does not know it.
    email: `${username}@characters.invalid`,
    full_name,
    avatar_url,
    bio,
    role: 'bot',
    is_bot: true,
    education: jsonb(character.education),
    certifications: jsonb(character.certifications),
    hobbies: jsonb(character.hobbies),
    career_goals: jsonb(character.career_goals),
    metadata: jsonb({ ...character.metadata, scenario_name: setup.scenario_type }),
  }
}

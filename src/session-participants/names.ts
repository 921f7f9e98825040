import type { FastifyReply } from 'fastify'
import { type AuditEvent, changesBetween } from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import type { Trx } from '../database/schema.js'
import type { FrozenScenario } from '../database/tables/frozen-scenario.js'
import { type Fault, validationFailed, valueError } from '../faults.js'
import { mixesAlphabets } from '../formats/names.js'
import { nameIgnored } from '../ignored-fields.js'
import type { LockedSession } from '../simulation-sessions/queries.js'
import { selectCastOf } from '../simulation-sessions/team/cast-queries.js'
import { type StoredPlace, selectPlaces } from '../simulation-sessions/team/participant-queries.js'
import { peopleById } from '../simulation-sessions/team/participants.js'
import { nameGuest } from '../users/guest-queries.js'
import { briefedPlace } from './places.js'
import { selectNamesOfLeaders } from './queries.js'

interface Joining {
  session: LockedSession
  place: StoredPlace
  scenario: FrozenScenario
  /** How many characters a session may have. */
  session_characters: number
}

const loc = ['body', 'display_name']
const missing: Fault = { loc, msg: 'Field required', type: 'missing' }

/**
 * Stores the name of a guest who joins for the first time, and returns what has changed. Throws 422 if there
 * is no name, if the name is taken in this session, or if a word has letters of several alphabets. Other
 * people keep the name that they have.
 */
export async function takeName(
  trx: Trx,
  reply: FastifyReply,
  joining: Joining,
  body: Schema<'JoinRequest'>,
): Promise<Pick<AuditEvent, 'changes'>> {
  const { session, place } = joining
  const { organization_id, user_id, joined_at } = place
  const people = await peopleById(trx, organization_id, [user_id], session._id)
  const person = people.get(user_id)
  const known = person?.full_name ?? null
  if (!person?.guest_of || joined_at !== null) {
    ignoreName(reply, body)
    return {}
  }
  const full_name = body.display_name?.trim() ?? null
  if (full_name === null) throw validationFailed([missing])
  if (full_name === '') throw valueError(loc, 'blank', 'is blank')
  if (mixesAlphabets(full_name)) {
    throw valueError(loc, 'mixed_alphabets', 'has a word with letters of several alphabets')
  }
  const others = await namesOfOthers(trx, joining)
  if (others.some((name) => comparableName(name) === comparableName(full_name))) {
    throw valueError(loc, 'name_taken', 'is taken in this session')
  }
  await nameGuest(trx, { organization_id, user_id }, full_name)
  return { changes: changesBetween({ full_name: known }, { full_name }) }
}

/** Names the `display_name` as ignored: only a guest who joins for the first time gives one. */
export function ignoreName(reply: FastifyReply, { display_name }: Schema<'JoinRequest'>): void {
  if (typeof display_name === 'string') nameIgnored(reply, [{ loc }])
}

/** The names, as pages show them, of the participants, the characters and those who lead or rate the session. */
async function namesOfOthers(
  trx: Trx,
  { session, place, scenario, session_characters }: Joining,
): Promise<string[]> {
  const places = await selectPlaces(trx, place)
  const cast = await selectCastOf(trx, session, session_characters)
  const names = places.map((one, i) => briefedPlace(scenario, one, i + 1).display_name)
  return [
    ...names.filter((_, i) => places[i]?._id !== place._id),
    ...cast.map(({ full_name, username }) => full_name ?? username),
    ...(await selectNamesOfLeaders(trx, session)),
  ]
}

/** A name without invisible characters, and without differences in case, spaces, and the form of letters. */
const comparableName = (name: string) =>
  name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    // Upper first: "ß" is then "SS", as people write it in capitals.
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC')
    .trim()
    .replace(/\s+/g, ' ')

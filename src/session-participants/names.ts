import type { FastifyReply } from 'fastify'
import { type AuditEvent, changesBetween } from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import type { Trx } from '../database/schema.js'
import { type Fault, validationFailed, valueError } from '../faults.js'
import { nameIgnored } from '../ignored-fields.js'
import type { StoredSession } from '../simulation-sessions/queries.js'
import { type StoredPlace, selectPlaces } from '../simulation-sessions/team/participant-queries.js'
import { peopleById } from '../simulation-sessions/team/participants.js'
import { nameGuest } from '../users/guest-queries.js'

const loc = ['body', 'display_name']
const missing: Fault = { loc, msg: 'Field required', type: 'missing' }

/**
 * Stores the name of a guest who joins for the first time, and returns what has changed. Throws 422 if the
 * guest gives no name, or the name of another participant. Other people keep the name that they have.
 */
export async function takeName(
  trx: Trx,
  reply: FastifyReply,
  session: StoredSession,
  place: StoredPlace,
  body: Schema<'JoinRequest'>,
): Promise<Pick<AuditEvent, 'changes'>> {
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
  const others = await namesOfOthers(trx, place)
  if (others.some((name) => normalizedName(name) === normalizedName(full_name))) {
    throw valueError(loc, 'name_taken', 'is the name of another participant')
  }
  await nameGuest(trx, { organization_id, user_id }, full_name)
  return { changes: changesBetween({ full_name: known }, { full_name }) }
}

/** Names the `display_name` as ignored: only a guest who joins for the first time gives one. */
export function ignoreName(reply: FastifyReply, { display_name }: Schema<'JoinRequest'>): void {
  if (typeof display_name === 'string') nameIgnored(reply, [{ loc }])
}

/** The names of the other participants of a session, also of trainers who take part. */
async function namesOfOthers(trx: Trx, own: StoredPlace): Promise<string[]> {
  const places = await selectPlaces(trx, own)
  return places.flatMap(({ _id, full_name }) => (_id === own._id ? [] : (full_name ?? [])))
}

/** A name without differences in case, spaces and the encoding of accents. */
const normalizedName = (name: string) =>
  name.normalize('NFC').toLowerCase().trim().replace(/\s+/g, ' ')

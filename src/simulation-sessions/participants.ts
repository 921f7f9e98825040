import type { Transaction } from 'kysely'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { type Fault, valueFault } from '../errors.js'
import { checkNamesBeside } from '../users/look-alikes.js'
import type { CastMember } from './cast-queries.js'
import { deviationsWith } from './deviations.js'
import type { ParticipantChange } from './participant-changes.js'
import * as queries from './participant-queries.js'
import { type LockedSession, type SessionKey, updateSession } from './queries.js'

type Trx = Transaction<Database>
type Wanted = Schema<'SessionParticipant'>
type People = Map<string, Awaited<ReturnType<typeof queries.selectPeople>>[number]>
type Person = ReturnType<People['get']>

/** People by their ids, until the transaction ends as they are now. Unknown ids are left out. */
export async function peopleById(
  trx: Trx,
  organization_id: string,
  ids: string[],
): Promise<People> {
  if (ids.length === 0) return new Map()
  // All at once, so that two who name the same people do not wait for each other.
  const people = await queries.selectPeople(trx, organization_id, ids)
  return new Map(people.map((person) => [person._id, person]))
}

/** What somebody is to take part in. */
export interface Stage {
  scenario_name: string
  participant_roles: Schema<'ParticipantRole'>[]
  /** Who rates, and cannot take part. */
  rater_ids: readonly string[]
  /** The names of the characters. No participant may have one that looks like them. */
  cast_names: readonly string[]
  /** Who keeps a place that they have, whatever became of them since. */
  present: ReadonlySet<string>
}

/** What keeps people from taking part, or from doing so in that role. */
export function participantFaults(
  participants: Wanted[],
  people: People,
  { scenario_name, participant_roles, rater_ids, cast_names, present }: Stage,
): Fault[] {
  const ids = participants.map(({ user_id }) => user_id)
  const known = participant_roles.map(({ role_key }) => role_key)
  const nameFault = checkNamesBeside(cast_names)
  return participants.flatMap(({ user_id, role_key }, i): Fault[] => {
    const isRepeated = ids.indexOf(user_id) < i
    const person = people.get(user_id)
    const newFault = () => personFault(person) ?? nameFault(person?.full_name ?? null)
    const fault = present.has(user_id) ? null : newFault()
    const role = rater_ids.includes(user_id) ? 'rates the session' : null
    const whoFault = isRepeated ? 'is named twice' : (fault ?? role)
    const place = ['body', 'participants', String(i)]
    return [
      ...(whoFault ? [valueFault([...place, 'user_id'], whoFault)] : []),
      ...(role_key && !known.includes(role_key)
        ? [valueFault([...place, 'role_key'], unknownRole(scenario_name, known))]
        : []),
    ]
  })
}

/** What the characters of a cast are called. */
export const namesOf = (cast: readonly CastMember[]) =>
  cast.flatMap(({ full_name }) => full_name ?? [])

const unknownRole = (scenario_name: string, known: string[]) =>
  `is no role of ${scenario_name}, which has ${known.length > 0 ? known.join(', ') : 'none'}`

/** What keeps people from rating: only active executives are named, and nobody who takes part. */
export function raterFaults(rater_ids: string[], people: People, participants: string[]): Fault[] {
  return rater_ids.flatMap((rater_id, i) => {
    const person = people.get(rater_id)
    const isPlayer = participants.includes(rater_id)
    const role = isPlayer ? 'takes part: nobody rates their own team' : null
    const fault = personFault(person) ?? rankFault(person) ?? role
    return fault ? [valueFault(['body', 'rater_ids', String(i)], fault)] : []
  })
}

function personFault(person: Person): string | null {
  if (!person) return 'is no user of this organization'
  if (person.is_bot || person.role === 'bot') return 'is a bot: bots are in the cast'
  return person.is_active ? null : 'is inactive'
}

const rankFault = (person: Person) =>
  person?.role === 'executive' ? null : 'is no executive: admins and hr rate without being named'

/** Gives a session the participants that are wanted, who were checked. */
export async function changeParticipants(
  trx: Trx,
  { organization_id, _id: session_id }: SessionKey,
  wanted: Wanted[],
  { present, change }: { present: queries.StoredAssignment[]; change: ParticipantChange },
): Promise<void> {
  const roles = new Map(wanted.map(({ user_id, role_key }) => [user_id, role_key || null]))
  const places = (users: string[]) => present.filter(({ user_id }) => users.includes(user_id))
  const removed = places(change.removed).map(({ _id }) => _id)
  await queries.deleteAssignments(trx, organization_id, removed)
  for (const { _id, user_id } of places(change.changed)) {
    const role_key = roles.get(user_id) ?? null
    await queries.updateAssignment(trx, { organization_id, _id }, { role_key })
  }
  const added = wanted.filter(({ user_id }) => change.added.includes(user_id))
  await queries.insertAssignments(trx, { organization_id, session_id }, added)
}

/** Takes a participant out of a session. After the start their place and what they said stay. */
export async function takeOut(
  trx: Trx,
  session: LockedSession,
  { organization_id, _id, left_at }: queries.StoredAssignment,
): Promise<void> {
  const { started_at, now: at } = session
  if (started_at === null) {
    await queries.deleteAssignments(trx, organization_id, [_id])
    await updateSession(trx, session, {})
    return
  }
  await queries.updateAssignment(
    trx,
    { organization_id, _id },
    { removed_at: at, left_at: left_at ?? at },
  )
  await updateSession(trx, session, { deviations: deviationsWith(session, 'participant_removed') })
}

import type { Transaction } from 'kysely'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { type Fault, validationFailed, valueFault } from '../errors.js'
import { compareParticipants, type ParticipantChange } from './participant-changes.js'
import * as queries from './participant-queries.js'
import type { SessionKey } from './queries.js'

type Trx = Transaction<Database>
type Wanted = Schema<'SessionParticipant'>
type Person = Awaited<ReturnType<typeof queries.selectPeople>>[number]

interface Stage {
  organization_id: string
  scenario_name: string
  /** Who rates, and cannot take part. */
  raters?: readonly string[]
  /** Who keeps a place that they have, whatever became of them since. */
  present?: ReadonlySet<string>
}

/** Throws 422, with every fault, where somebody cannot take part, or not in that role. */
export async function checkParticipants(
  trx: Trx,
  { organization_id, scenario_name, present = new Set(), raters = [] }: Stage,
  participants: Wanted[],
  roles: Schema<'ParticipantRole'>[],
  loc: string[],
): Promise<void> {
  const ids = participants.map(({ user_id }) => user_id)
  const people = await peopleById(trx, organization_id, ids)
  const known = roles.map(({ role_key }) => role_key)
  const faults = participants.flatMap(({ user_id, role_key }, i): Fault[] => {
    const isRepeated = ids.indexOf(user_id) < i
    const fault = present.has(user_id) ? null : personFault(people.get(user_id))
    const role = raters.includes(user_id) ? 'rates the session' : null
    const whoFault = isRepeated ? 'is named twice' : (fault ?? role)
    const place = [...loc, String(i)]
    return [
      ...(whoFault ? [valueFault([...place, 'user_id'], whoFault)] : []),
      ...(role_key && !known.includes(role_key)
        ? [valueFault([...place, 'role_key'], unknownRole(scenario_name, known))]
        : []),
    ]
  })
  if (faults.length > 0) throw validationFailed(faults)
}

const unknownRole = (scenario_name: string, known: string[]) =>
  `is no role of ${scenario_name}, which has ${known.length > 0 ? known.join(', ') : 'none'}`

/** Throws 422 for whoever is no active executive; gives each of the others once. */
export async function checkRaters(
  trx: Trx,
  { organization_id, participants }: { organization_id: string; participants: string[] },
  rater_ids: string[],
): Promise<string[]> {
  const people = await peopleById(trx, organization_id, rater_ids)
  const faults = rater_ids.flatMap((rater_id, i) => {
    const fault = personFault(people.get(rater_id)) ?? rankFault(people.get(rater_id))
    const isPlayer = participants.includes(rater_id)
    const why = fault ?? (isPlayer ? 'takes part: nobody rates their own team' : null)
    return why ? [valueFault(['body', 'rater_ids', String(i)], why)] : []
  })
  if (faults.length > 0) throw validationFailed(faults)
  return [...new Set(rater_ids)]
}

async function peopleById(trx: Trx, organization_id: string, ids: string[]) {
  if (ids.length === 0) return new Map<string, Person>()
  const people = await queries.selectPeople(trx, organization_id, ids)
  return new Map(people.map((person) => [person._id, person]))
}

function personFault(person: Person | undefined): string | null {
  if (!person) return 'is no user of this organization'
  if (person.is_bot || person.role === 'bot') return 'is a bot: bots are in the cast'
  return person.is_active ? null : 'is inactive'
}

const rankFault = (person: Person | undefined) =>
  person?.role === 'executive' ? null : 'is no executive: admins and hr rate without being named'

/** Gives a session the participants that are wanted, who were checked, and tells what is new. */
export async function changeParticipants(
  trx: Trx,
  { organization_id, _id: session_id }: SessionKey,
  wanted: Wanted[],
): Promise<ParticipantChange> {
  const place = { organization_id, session_id }
  const present = await queries.selectAssignments(trx, place)
  const change = compareParticipants(present, wanted)
  const roles = new Map(wanted.map(({ user_id, role_key }) => [user_id, role_key || null]))
  const roleOf = (user_id: string) => roles.get(user_id) ?? null
  const idsOf = (users: string[]) =>
    present.filter(({ user_id }) => users.includes(user_id)).map(({ _id }) => _id)
  await queries.deleteAssignments(trx, organization_id, idsOf(change.removed))
  for (const { _id, user_id } of present) {
    if (!change.changed.includes(user_id)) continue
    await queries.updateAssignment(trx, { organization_id, _id }, { role_key: roleOf(user_id) })
  }
  const added = change.added.map((user_id) => ({ user_id, role_key: roleOf(user_id) }))
  await queries.insertAssignments(trx, place, added)
  return change
}

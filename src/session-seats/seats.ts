import type { Schema } from '../contract.js'
import type { Trx } from '../database/schema.js'
import { type Fault, throwFaults, valueFault } from '../faults.js'
import { changeTeam, type Team } from '../session-participants/change-team.js'
import { type Participant, selectPlaces } from '../simulation-sessions/team/participant-queries.js'
import { unknownRole } from '../simulation-sessions/team/participants.js'
import { insertGuests, selectGuestNames } from '../users/guest-queries.js'
import { selectLinkedPlaces } from './queries.js'

type Wanted = Schema<'SeatOfLink'>
type Request = Parameters<typeof changeTeam>[1]

const keyOf = ({ session }: Team) => ({
  organization_id: session.organization_id,
  session_id: session._id,
})

/** The places of a team that have no link. */
export async function placesWithoutLink(trx: Trx, team: Team): Promise<Participant[]> {
  const linked = await selectLinkedPlaces(trx, keyOf(team))
  return team.present.filter(({ _id }) => !linked.has(_id))
}

/** The wanted places of a team, in the wanted order. Adds guests, each with a new place. Throws 422 or 409. */
export async function wantedPlaces(
  trx: Trx,
  request: Request,
  team: Team,
  wanted: Wanted[],
): Promise<Participant[]> {
  throwFaults(wanted.flatMap((one, i) => seatFaults(team, wanted, one, i)))
  const key = keyOf(team)
  const guests = wanted.filter(({ guest }) => guest)
  const names = freeNames(await selectGuestNames(trx, key), guests.length)
  const user_ids = await insertGuests(trx, key, names)
  const added = guests.map(({ role_key }, i) => ({ user_id: user_ids[i] ?? '', role_key }))
  if (added.length > 0) await changeTeam(trx, request, team, [...team.present, ...added])
  const places = await selectPlaces(trx, key)
  const newPlaces = places.filter(({ user_id }) => user_ids.includes(user_id))
  const byId = new Map(places.map((place) => [place._id, place]))
  return wanted.flatMap(({ guest, assignment_id }) => {
    return (guest ? newPlaces.shift() : byId.get(assignment_id ?? '')) ?? []
  })
}

/** Returns the first names of the form "Guest 1" that no guest of the session has. */
function freeNames(taken: ReadonlySet<string | null>, count: number): string[] {
  const names: string[] = []
  for (let number = 1; names.length < count; number++) {
    const name = `Guest ${number}`
    if (!taken.has(name)) names.push(name)
  }
  return names
}

/** Returns what is wrong with one of the wanted seats. */
function seatFaults(
  { present, rules }: Team,
  wanted: Wanted[],
  { assignment_id, guest, role_key }: Wanted,
  i: number,
): Fault[] {
  const at = (field: string) => ['body', 'seats', String(i), field]
  if (!guest) {
    const place = placeFault(present, wanted, assignment_id, i)
    const faults = place ? [{ ...place, loc: at('assignment_id') }] : []
    return role_key ? [...faults, valueFault(at('role_key'), 'contradictory', roleOfGuest)] : faults
  }
  const roles = rules.participant_roles.map((role) => role.role_key)
  return [
    ...(assignment_id ? [valueFault(at('assignment_id'), 'contradictory', placeOfGuest)] : []),
    ...(role_key && !roles.includes(role_key)
      ? [valueFault(at('role_key'), ...unknownRole(rules.scenario_name, roles))]
      : []),
  ]
}

const placeOfGuest = 'names a place, but a guest gets a new one'
const roleOfGuest = 'is for guests: the place has its role'

function placeFault(
  present: Participant[],
  wanted: Wanted[],
  assignment_id: string | null | undefined,
  i: number,
): Fault | null {
  if (!assignment_id) return { loc: [], msg: 'Field required', type: 'missing' }
  if (!present.some(({ _id }) => _id === assignment_id)) {
    return valueFault([], 'unknown_assignment', 'is no place of this session')
  }
  const isRepeated = wanted.findIndex((one) => one.assignment_id === assignment_id) < i
  return isRepeated ? valueFault([], 'duplicate', 'is named twice') : null
}

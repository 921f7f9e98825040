import type { Schema } from '../../contract.js'
import type { Trx } from '../../database/schema.js'
import { type Fault, type Reason, valueFault } from '../../faults.js'
import { raterRole } from './part-queries.js'
import * as queries from './participant-queries.js'

type Wanted = Schema<'SessionParticipant'>
type People = Map<string, Awaited<ReturnType<typeof queries.selectPeople>>[number]>
type Person = ReturnType<People['get']>

/** Locks users and returns them by id. Unknown ids and guests of other sessions are left out. */
export async function peopleById(
  trx: Trx,
  organization_id: string,
  ids: string[],
  session_id: string | null = null,
): Promise<People> {
  if (ids.length === 0) return new Map()
  // All in one query, sorted by id, so that two requests cannot deadlock.
  const people = await queries.selectPeople(trx, organization_id, ids, session_id)
  return new Map(people.map((person) => [person._id, person]))
}

/** What participants are checked against. */
export interface TeamRules {
  scenario_name: string
  participant_roles: Schema<'ParticipantRole'>[]
  /** Raters cannot take part. */
  rater_ids: readonly string[]
  /** Participants who stay without a new check, even if they are inactive by now. */
  present: ReadonlySet<string>
}

/** Returns why users cannot take part, or not in the given role. */
export function participantFaults(
  participants: Wanted[],
  people: People,
  { scenario_name, participant_roles, rater_ids, present }: TeamRules,
): Fault[] {
  const ids = participants.map(({ user_id }) => user_id)
  const known = participant_roles.map(({ role_key }) => role_key)
  return participants.flatMap(({ user_id, role_key }, i): Fault[] => {
    const isRepeated = ids.indexOf(user_id) < i
    const person = people.get(user_id)
    const fault = present.has(user_id) ? null : personFault(person)
    const userFault = isRepeated
      ? namedTwice
      : (fault ?? (rater_ids.includes(user_id) ? rates : null))
    const loc = ['body', 'participants', String(i)]
    return [
      ...(userFault ? [valueFault([...loc, 'user_id'], ...userFault)] : []),
      ...(role_key && !known.includes(role_key)
        ? [valueFault([...loc, 'role_key'], ...unknownRole(scenario_name, known))]
        : []),
    ]
  })
}

const namedTwice: Reason = ['duplicate', 'is named twice']
const rates: Reason = ['is_rater', 'rates the session']
const takesPart: Reason = [
  'is_participant',
  'takes part, and participants do not rate their own team',
]

export const unknownRole = (scenario_name: string, known: string[]): Reason => [
  'unknown_role',
  `is no role of ${scenario_name}, which has ${known.length > 0 ? known.join(', ') : 'none'}`,
]

/** Returns why users cannot be raters: they have to be active executives who do not take part. */
export function raterFaults(rater_ids: string[], people: People, participants: string[]): Fault[] {
  return rater_ids.flatMap((rater_id, i) => {
    const person = people.get(rater_id)
    const role = participants.includes(rater_id) ? takesPart : null
    const fault = personFault(person) ?? rankFault(person) ?? role
    return fault ? [valueFault(['body', 'rater_ids', String(i)], ...fault)] : []
  })
}

function personFault(person: Person): Reason | null {
  if (!person) return ['unknown_user', 'is no user of this organization']
  if (person.is_bot || person.role === 'bot') return ['is_bot', 'is a bot: bots are in the cast']
  return person.is_active ? null : ['inactive', 'is inactive']
}

const rankFault = (person: Person): Reason | null =>
  person?.role === raterRole
    ? null
    : ['not_executive', 'is no executive: admins and hr rate without being named']

import { freeUsername } from '../../users/username.js'
import type { Catalogue, Effects, People, Role, Scenario, Slot } from '../catalogue/entries.js'
import { type WorkingHours, workingHoursOf } from '../catalogue/faults/working-time.js'
import { randomFrom, shuffled } from './random.js'

export type Team = { name: string; channel: string }

export type Member = {
  role: Role
  slot?: Slot
  given_name: string
  full_name: string
  username: string
  team: Team
  hours: WorkingHours
}

const slug = (name: string) => name.toLowerCase().replace(/[^a-z0-9]+/g, '-')

interface CastOptions {
  topology: Effects['team_topology']
  /** The same seed returns the same names. */
  seed: string
  team_size: number
  takenUsernames: ReadonlySet<string>
}

/** Casts a scenario. A larger team has all members of a smaller one: names have one fixed order. */
export function castOf(
  { people, colleagues }: Catalogue,
  scenario: Scenario,
  { topology, seed, team_size, takenUsernames }: CastOptions,
): Member[] {
  const given_names = givenNames(people, seed)
  const family_names = shuffled(randomFrom(`${seed}/family`), people.family_names)
  const roles: { role: Role; slot?: Slot }[] = [
    ...scenario.cast.map(({ slot, ...role }) => ({ role, slot })),
    ...colleagues.map((role) => ({ role })),
  ]

  return roles.slice(0, team_size).map(({ role, slot }, i) => {
    const given_name = given_names[i] ?? ''
    const family_name = family_names[i] ?? ''
    return {
      role,
      slot,
      given_name,
      full_name: `${given_name} ${family_name}`,
      username: freeUsername(`${given_name}.${family_name}`.toLowerCase(), takenUsernames),
      team: teamOf({ role, slot }, scenario, topology),
      hours: workingHoursOf(role.working_hours),
    }
  })
}

/** Alternates between the two lists. Initials repeat only when all unused ones are gone. */
function givenNames({ given_names: { feminine, masculine } }: People, seed: string): string[] {
  const random = randomFrom(`${seed}/given`)
  const lists = shuffled(random, [feminine, masculine]).map((list) => shuffled(random, list))
  const names: string[] = []
  const initials = new Set<string>()
  for (;;) {
    const list = lists[names.length % 2] ?? []
    const fresh = list.findIndex((name) => !initials.has(name.charAt(0)))
    const [name] = list.splice(Math.max(fresh, 0), 1)
    if (name === undefined) return [...names, ...lists.flat()]
    names.push(name)
    initials.add(name.charAt(0))
  }
}

function teamOf(
  { role, slot }: Pick<Member, 'role' | 'slot'>,
  { terms }: Scenario,
  topology: Effects['team_topology'],
): Team {
  const words: Record<string, string> = { ...terms, area: role.department }
  const own = topology.teams.find(({ members }) => members.some((one) => one === slot))
  const name = (own?.name ?? topology.colleague_team).replace(
    /\{(\w+)\}/g,
    (_, word: string) => words[word] ?? '',
  )
  return { name, channel: slug(name) }
}

export const memberIn = (cast: Member[], slot: Slot): Member | undefined =>
  cast.find((member) => member.slot === slot)

/** The member with a slot or with a colleague's key, if the team has one. */
export const speakerIn = (cast: Member[], from: string): Member | undefined =>
  cast.find(({ slot, role }) => slot === from || (slot === undefined && role.key === from))

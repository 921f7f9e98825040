import { freeUsername } from '../../users/username.js'
import type { CastRole, Catalogue, Effects, Scenario, Slot, Voice } from '../catalogue/entries.js'
import { randomFrom, shuffled } from './random.js'

export type Team = { name: string; channel: string }

export type Member = {
  role: CastRole
  voice?: Voice
  given_name: string
  full_name: string
  username: string
  team: Team
}

const slug = (name: string) => name.toLowerCase().replace(/[^a-z0-9]+/g, '-')

/** Names are dealt in one shuffled order, so whoever is already in a smaller team stays. */
export function castOf(
  { people, colleagues }: Catalogue,
  scenario: Scenario,
  topology: Effects['team_topology'],
  seed: string,
  team_size: number,
  takenUsernames: ReadonlySet<string>,
): Member[] {
  const given_names = shuffled(randomFrom(`${seed}/given`), people.given_names)
  const family_names = shuffled(randomFrom(`${seed}/family`), people.family_names)
  const others = colleagues.map(({ says, ...role }) => ({
    role,
    voice: scenario.voices?.[role.key] ?? says,
  }))
  const everyone: { role: CastRole; voice?: Voice }[] = [
    ...scenario.cast.map((role) => ({ role })),
    ...others,
  ]

  return everyone.slice(0, team_size).map(({ role, voice }, i) => {
    const given_name = given_names[i] ?? ''
    const family_name = family_names[i] ?? ''
    return {
      role,
      voice,
      given_name,
      full_name: `${given_name} ${family_name}`,
      username: freeUsername(`${given_name}.${family_name}`.toLowerCase(), takenUsernames),
      team: teamOf(role, scenario, topology),
    }
  })
}

function teamOf(role: CastRole, { terms }: Scenario, topology: Effects['team_topology']): Team {
  const own = topology.teams.find(({ members }) => members.some((slot) => slot === role.slot))
  const name = (own?.name ?? topology.colleague_team)
    .replace('{area}', role.department)
    .replace(/\{(\w+)\}/g, (_, term: string) => terms[term] ?? '')
  return { name, channel: slug(name) }
}

export const memberIn = (cast: Member[], slot: Slot): Member | undefined =>
  cast.find((member) => member.role.slot === slot)

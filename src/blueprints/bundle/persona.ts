import {
  type Effects,
  type People,
  type Role,
  type Seniority,
  seniorities,
} from '../catalogue/entries.js'
import type { BundleCharacter } from './bundle.js'
import { type Member, memberIn } from './cast.js'
import { between, pick, type Random, randomFrom, shuffled } from './random.js'

interface PersonaSources {
  cast: Member[]
  people: People
  relations: Effects['relationship_model']
  seed: string
}

export function characterOf(
  member: Member,
  { cast, people, relations, seed }: PersonaSources,
): BundleCharacter {
  const { role, full_name, username, team } = member
  const random = randomFrom(`${seed}/${role.key}`)
  const { degree, field_of_study } = role.education
  const graduated = yearOf(random, people, role.seniority)
  const { private_goal, private_fact } = role

  return {
    key: role.key,
    username,
    full_name,
    avatar_url: null,
    bio: role.bio,
    education: [
      {
        degree,
        field_of_study,
        university: pick(random, people.institutions[degree]),
        graduation_year: String(graduated),
      },
    ],
    certifications: (role.certifications ?? []).map((name) => {
      const year = Math.min(graduated + between(random, 1, 6), 2025)
      return { name, year: String(year), issuer: pick(random, people.issuers) }
    }),
    hobbies: shuffled(random, people.hobbies).slice(0, 2),
    career_goals: {
      dream_job: role.dream_job,
      experience_level: role.seniority,
      career_goal: pick(random, people.goals[role.seniority]),
      current_role: role.title,
      department: role.department,
    },
    metadata: {
      seniority: role.seniority,
      communication_style: role.communication_style,
      working_hours: role.working_hours,
      team: team.name,
      expertise: role.expertise,
      relationships: relationships(member, cast, relations),
      ...(private_goal && { private_goal }),
      ...(private_fact && { private_fact }),
    },
  }
}

function yearOf(random: Random, { graduation_years }: People, seniority: Seniority): number {
  const [first = 2000, last = first] = graduation_years[seniority]
  return between(random, first, last)
}

function relationships(member: Member, cast: Member[], relations: Effects['relationship_model']) {
  const { slot, role } = member
  if (!slot) {
    const peer = cast.find(
      (other) => other.role.department === role.department && isAbove(other.role, role),
    )
    const to = peer ?? memberIn(cast, 'lead')
    return to ? [{ to: to.username, kind: relations.colleague_edge }] : []
  }
  return relations.edges
    .filter((edge) => edge.from === slot)
    .flatMap(({ to, kind }) => {
      const other = memberIn(cast, to)
      return other ? [{ to: other.username, kind }] : []
    })
}

/** Whether the first role has the higher rank. */
const isAbove = (one: Role, other: Role): boolean =>
  seniorities.indexOf(one.seniority) > seniorities.indexOf(other.seniority)

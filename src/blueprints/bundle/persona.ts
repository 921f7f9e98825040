import type { Effects, People } from '../catalogue/entries.js'
import type { BundleCharacter } from './bundle.js'
import { type Member, memberIn } from './cast.js'
import { between, pick, type Random, randomFrom, shuffled } from './random.js'

export function characterOf(
  member: Member,
  cast: Member[],
  people: People,
  relations: Effects['relationship_model'],
  seed: string,
): BundleCharacter {
  const { role, full_name, username, team } = member
  const random = randomFrom(`${seed}/${role.key}`)
  const studies = people.studies[role.department] ?? people.studies.other
  const [first, last] = people.graduation_years[role.seniority]
  const graduated = between(random, first, last)

  return {
    key: role.key,
    username,
    full_name,
    avatar_url: null,
    bio: role.bio,
    education: [
      {
        degree: people.degrees[role.seniority],
        field_of_study: pick(random, studies?.fields ?? []),
        university: pick(random, people.universities),
        graduation_year: String(graduated),
      },
    ],
    certifications: certificates(random, studies?.certificates ?? [], people.issuers, graduated),
    hobbies: shuffled(random, people.hobbies).slice(0, 2),
    career_goals: {
      dream_job: role.dream,
      experience_level: role.seniority,
      career_goal: pick(random, people.goals[role.seniority]),
      current_role: role.title,
      department: role.department,
    },
    metadata: {
      seniority: role.seniority,
      communication_style: role.style,
      working_hours: role.hours,
      team: team.name,
      expertise: role.expertise,
      relationships: relationships(member, cast, relations),
    },
  }
}

function certificates(random: Random, names: string[], issuers: string[], graduated: number) {
  const year = Math.min(graduated + between(random, 1, 6), 2025)
  return [{ name: pick(random, names), year: String(year), issuer: pick(random, issuers) }]
}

function relationships(member: Member, cast: Member[], relations: Effects['relationship_model']) {
  const { role } = member
  if (!role.slot) {
    const peer = cast.find((other) => other.role.department === role.department)
    const to = peer && peer !== member ? peer : memberIn(cast, 'lead')
    return to ? [{ to: to.username, kind: relations.colleague_edge }] : []
  }
  return relations.edges
    .filter((edge) => edge.from === role.slot)
    .flatMap(({ to, kind }) => {
      const other = memberIn(cast, to)
      return other ? [{ to: other.username, kind }] : []
    })
}

import leven from 'leven'
import type {
  Catalogue,
  Role,
  Scenario,
  Seniority,
} from '../../src/blueprints/catalogue/entries.js'
import type { Measured } from './prose.js'
import { type Finding, stageFor } from './views.js'

type Found = Omit<Finding, 'rule'>

const ranks: Seniority[] = ['junior', 'mid-level', 'senior', 'executive']
const rankOf = ({ seniority }: Role) => ranks.indexOf(seniority)

/** What is asked of the people of a scenario. */
export function measureRoles(catalogue: Catalogue, scenario: Scenario): Measured[] {
  const { scenario_type } = scenario
  const found = (messages: string[]): Found[] =>
    messages.map((message) => ({ scenario: scenario_type, message }))
  const rule = (name: string, findings: Found[]): Measured => {
    const figure = String(findings.length)
    return {
      rule: name,
      bound: 'none',
      figure,
      findings: findings.map((one) => ({ rule: name, ...one })),
    }
  }
  return [
    rule('pronouns in personas', found(pronouns([...scenario.cast, ...catalogue.colleagues]))),
    rule(
      'personas without a private goal and fact',
      found(
        [...scenario.cast, ...catalogue.colleagues]
          .filter(({ private_goal, private_fact }) => !private_goal || !private_fact)
          .map(({ key }) => key),
      ),
    ),
    rule('seniors who report to juniors', found(inverted(catalogue, scenario))),
    rule('names of the core too much alike', found(alikeNames(catalogue, scenario))),
  ]
}

const pronoun = /\b(he|she|his|her|hers|him|himself|herself)\b/i

const pronouns = (roles: Role[]): string[] =>
  roles.flatMap(({ key, bio, private_goal = '', private_fact = '' }) =>
    [bio, private_goal, private_fact]
      .filter((text) => pronoun.test(text))
      .map((text) => `${key}: ${text}`),
  )

function inverted({ models }: Catalogue, { cast }: Scenario): string[] {
  const bySlot = new Map(cast.map((role) => [role.slot, role]))
  return models.relationship_model.flatMap(({ value, effects }) =>
    effects.edges.flatMap(({ from, to, kind }) => {
      const [one, other] = [bySlot.get(from), bySlot.get(to)]
      if (kind !== 'reports_to' || !one || !other || rankOf(one) <= rankOf(other)) return []
      return [`${value}: ${one.key} reports to ${other.key}`]
    }),
  )
}

/** Six different initials, and no two names that are two letters apart. */
function alikeNames(catalogue: Catalogue, scenario: Scenario): string[] {
  const { cast } = stageFor(catalogue, scenario, 6, {})
  const names = cast.map(({ given_name }) => given_name)
  return names.flatMap((name, i) =>
    names
      .slice(i + 1)
      .filter((other) => other.charAt(0) === name.charAt(0) || leven(name, other) <= 2)
      .map((other) => `${name} and ${other}`),
  )
}

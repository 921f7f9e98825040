import leven from 'leven'
import { composeBundle } from '../../src/blueprints/bundle/compose.js'
import {
  type Catalogue,
  type Role,
  type Scenario,
  seniorities,
} from '../../src/blueprints/catalogue/entries.js'
import { type Measured, none } from './measured.js'
import { castFor, only, requestFor } from './views.js'

/** Checks the people of a scenario. */
export function measureRoles(catalogue: Catalogue, scenario: Scenario): Measured[] {
  const about = (messages: string[]) =>
    messages.map((message) => ({ scenario: scenario.scenario_type, message }))
  const everyone = [...scenario.cast, ...catalogue.colleagues]
  const open = everyone.filter(({ private_goal, private_fact }) => !private_goal || !private_fact)
  return [
    none('pronouns in personas', about(pronouns(everyone))),
    none('personas without a private goal and fact', about(open.map(({ key }) => key))),
    none('seniors who report to juniors', about(inverted(catalogue, scenario))),
    none('names of the core too much alike', about(alikeNames(catalogue, scenario))),
  ]
}

const pronoun = /\b(he|she|his|her|hers|him|himself|herself)\b/i

const pronouns = (roles: Role[]): string[] =>
  roles.flatMap(({ key, bio, private_goal = '', private_fact = '' }) =>
    [bio, private_goal, private_fact]
      .filter((text) => pronoun.test(text))
      .map((text) => `${key}: ${text}`),
  )

/** Finds members of a team of fifty who report to a member of a lower rank. */
function inverted(catalogue: Catalogue, scenario: Scenario): string[] {
  const models = { relationship_model: 'authority_ranking' }
  const { characters } = composeBundle(only(catalogue, scenario), requestFor(scenario, 50, models))
  const order: readonly string[] = seniorities
  const ranks = new Map(
    characters.map(({ username, career_goals }) => {
      return [username, order.indexOf(career_goals.experience_level)]
    }),
  )
  return characters.flatMap(({ key, username, metadata }) =>
    (metadata.relationships as { to: string; kind: string }[])
      .filter(
        ({ kind, to }) =>
          kind === 'reports_to' && (ranks.get(to) ?? 0) < (ranks.get(username) ?? 0),
      )
      .map(({ to }) => `${key} reports to ${to}`),
  )
}

/** Finds names with the same initial, or at most two letters apart. */
function alikeNames(catalogue: Catalogue, scenario: Scenario): string[] {
  const { cast } = castFor(catalogue, scenario, 6, {})
  const names = cast.map(({ given_name }) => given_name)
  return names.flatMap((name, i) =>
    names
      .slice(i + 1)
      .filter((other) => other.charAt(0) === name.charAt(0) || leven(name, other) <= 2)
      .map((other) => `${name} and ${other}`),
  )
}

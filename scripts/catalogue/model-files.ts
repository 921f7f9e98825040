import {
  type Catalogue,
  modelFields,
  type Scenario,
} from '../../src/blueprints/catalogue/entries.js'
import { wordingsIn, wordingsOfLines } from './ledger.js'
import { wordsOf } from './ngrams.js'
import type { Measured } from './prose.js'

const agreement =
  /\b(is|was|has|does|are|were|this|that|it's|its) \{topic_\d\}|\{topic_\d\} (is|was|has|are|were|does|(?!as\b)[a-z]+s)\b/i

/** What is asked of the models, whose texts are said in every scenario. */
export function measureModelFiles(catalogue: Catalogue, scenarios: Scenario[]): Measured[] {
  const rule = 'nouns of a scenario in models'
  const nouns = nounsOf(scenarios)
  const findings = modelFields.flatMap((field) =>
    catalogue.models[field].flatMap(({ value, lines, replies = [] }) =>
      [...wordingsOfLines(lines), ...replies.map(({ text }) => text)].flatMap((text) =>
        wordsOf(text.replace(/\{\w+\}/g, ' ')).flatMap((word) => {
          const scenario = nouns.get(word)
          const models = `${field} ${value}`
          return scenario ? [{ rule, scenario, models, message: `${word}: ${text}` }] : []
        }),
      ),
    ),
  )
  const agreeing = 'verbs that agree with a topic, which may be plural'
  const agreed = modelFields.flatMap((field) =>
    catalogue.models[field].flatMap(({ value, lines, replies = [] }) =>
      [...wordingsOfLines(lines), ...replies.map(({ text }) => text)]
        .filter((text) => agreement.test(text))
        .map((message) => ({ rule: agreeing, scenario: '', models: `${field} ${value}`, message })),
    ),
  )
  const sources = 'sources with author, year and publisher or journal'
  const bare = modelFields.flatMap((field) =>
    catalogue.models[field]
      .filter(({ source }) => !/\((1|2)\d{3}[a-z]?\)\. .+\. .+/.test(source.title))
      .map(({ value, source }) => {
        return { rule: sources, scenario: '', models: `${field} ${value}`, message: source.title }
      }),
  )
  return [
    { rule, bound: 'none', figure: String(findings.length), findings },
    { rule: agreeing, bound: 'none', figure: String(agreed.length), findings: agreed },
    { rule: sources, bound: 'all', figure: String(bare.length), findings: bare },
  ]
}

/** Words of a scenario's terms that it uses often and hardly another does, each with the scenario. */
function nounsOf(scenarios: Scenario[]): Map<string, string> {
  const used = scenarios.map((scenario) => {
    const words = wordingsIn(scenario).flatMap(({ text }) => wordsOf(text))
    const counts = new Map<string, number>()
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
    return { scenario, counts }
  })
  return new Map(
    used.flatMap(({ scenario, counts }) =>
      wordsOf(Object.values(scenario.terms).join(' '))
        .filter((word) => word.length > 3 && (counts.get(word) ?? 0) >= 6)
        .filter((word) => used.filter((other) => other.counts.has(word)).length <= 2)
        .map((word) => [word, scenario.scenario_type] as const),
    ),
  )
}

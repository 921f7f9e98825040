import {
  type Catalogue,
  type Model,
  modelFields,
  type Scenario,
} from '../../src/blueprints/catalogue/entries.js'
import { wordingsIn, wordingsOf } from './ledger.js'
import { type Measured, none } from './measured.js'
import { wordsOf } from './ngrams.js'
import { type Wording, wordRules } from './wording-rules.js'

const agreement =
  /\b(is|was|has|does|are|were|this|that|it's|its) \{topic_\d\}|\{topic_\d\} (is|was|has|are|were|does|(?!as\b)[a-z]+s)\b/i

type ModelWording = Wording & { models: string }

/** Checks the models. Their texts appear in every scenario. */
export function measureModelFiles(catalogue: Catalogue, scenarios: Scenario[]): Measured[] {
  const entries = modelFields.flatMap((field) =>
    catalogue.models[field].map((model) => ({ models: `${field} ${model.value}`, model })),
  )
  const said = entries.flatMap(({ models, model }) =>
    saidBy(model).map((one) => ({ models, ...one })),
  )
  const nouns = nounsOf(scenarios)
  const about = ({ text, ...where }: ModelWording, message = text) => ({ ...where, message })
  return [
    ...wordRules(said).map(({ rule, found }) => none(rule, found)),
    none(
      'nouns of a scenario in models',
      said.flatMap((one) =>
        wordsOf(one.text.replace(/\{\w+\}/g, ' ')).flatMap((word) => {
          const scenario = nouns.get(word)
          return scenario ? [{ scenario, ...about(one, `${word}: ${one.text}`) }] : []
        }),
      ),
    ),
    none(
      'verbs that agree with a topic, which may be plural',
      said.filter(({ text }) => agreement.test(text)).map((one) => about(one)),
    ),
    none(
      'sources without author, year, and publisher or journal',
      entries
        .filter(({ model }) => !/\((1|2)\d{3}[a-z]?\)\. .+\. .+/.test(model.source.title))
        .map(({ models, model }) => ({ models, message: model.source.title })),
    ),
  ]
}

const saidBy = ({ lines, replies = [] }: Model): Wording[] => [
  ...wordingsOf(lines),
  ...replies.map(({ to, text }) => ({ channel: '', line: to, text })),
]

/** The words of a scenario's terms that it uses often and at most one other uses, with the scenario. */
function nounsOf(scenarios: Scenario[]): Map<string, string> {
  const used = scenarios.map((scenario) => {
    const counts = new Map<string, number>()
    for (const word of wordingsIn(scenario).flatMap(({ text }) => wordsOf(text))) {
      counts.set(word, (counts.get(word) ?? 0) + 1)
    }
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

import {
  type Bundle,
  type BundleRequest,
  composeBundle,
} from '../../../src/blueprints/bundle/compose.js'
import { type ModelField, modelFields } from '../../../src/blueprints/catalogue/entries.js'
import { loadCatalogue } from '../../../src/blueprints/catalogue/load.js'
import { t } from '../../helpers/file.js'

const catalogue = loadCatalogue()
const sizes = Array.from({ length: 50 }, (_, i) => i + 1)
const scenarios = [...catalogue.scenarios.keys(), 'our own exercise']
const valuesOf = (field: ModelField) => [
  ...catalogue.models[field].map(({ value }) => value),
  'something of our own',
]

const compose = (given: Partial<BundleRequest> = {}) =>
  composeBundle(catalogue, {
    organization_id: '019cbb3e-5c00-7a10-8e2f-1d2c3b4a5f00',
    scenario_type: 'hr_workforce',
    team_size: null,
    models: {},
    ...given,
  })

/** Composes HR workforce with the lines of the models. */
function composeShared(models: BundleRequest['models']): Bundle {
  const scenario_type = 'hr_workforce'
  const scenario = catalogue.scenarios.get(scenario_type)
  if (!scenario) throw new Error('There is no such scenario')
  const shared = { ...scenario, shared_model_lines: true }
  const scenarios = new Map([[scenario_type, shared]])
  const organization_id = '019cbb3e-5c00-7a10-8e2f-1d2c3b4a5f00'
  const request = { organization_id, scenario_type, team_size: null, models }
  return composeBundle({ ...catalogue, scenarios }, request)
}

const messagesOf = ({ channels }: Bundle) =>
  channels.flatMap((channel) => channel.message_templates)
const postsIn = (bundle: Bundle) =>
  messagesOf(bundle).flatMap((message) => [message, ...message.thread_replies])
const repeated = (items: string[]) => items.filter((item, i) => items.indexOf(item) !== i)

/** Everything that is wrong with a bundle, in words. An empty list means a good bundle. */
function faultsIn(bundle: Bundle): string[] {
  const { characters: people, channels } = bundle
  const keys = people.map(({ key }) => key)
  const names = people.map(({ full_name }) => full_name.split(' ')[0] ?? '')
  return [
    ...repeated(names),
    ...repeated(people.map(({ username }) => username)),
    ...repeated(channels.map(({ channel_name }) => channel_name)),
    ...postsIn(bundle)
      .filter(({ sender }) => !keys.includes(sender))
      .map(({ sender }) => `who is ${sender}`),
    ...people.map(({ username }) => username).filter((name) => !/^[a-z0-9._-]{3,50}$/.test(name)),
    ...channels
      .map(({ channel_name }) => channel_name)
      .filter((name) => !/^[a-z][a-z0-9-]*[a-z0-9]$/.test(name)),
    ...(people.length === bundle.team_size ? [] : ['team_size']),
    ...channels.flatMap((channel) => orderFaults(channel.message_templates)),
  ]
}

function orderFaults(messages: Bundle['channels'][number]['message_templates']): string[] {
  return messages.flatMap(({ offset_hours, thread_replies }, i) => {
    const before = messages[i - 1]?.offset_hours ?? Number.NEGATIVE_INFINITY
    const minutes = thread_replies.map(({ offset_minutes }) => offset_minutes)
    return [
      ...(Number.isInteger(offset_hours) && offset_hours >= before ? [] : ['hours run back']),
      ...(minutes.every((minute, at) => minute >= (minutes[at - 1] ?? 1)) ? [] : ['minutes']),
      ...(minutes.every((minute) => Number.isInteger(minute) && minute <= 10_080) ? [] : ['late']),
    ]
  })
}

t.test('composeBundle', async (t) => {
  t.test('returns the same bundle for the same request', async (t) => {
    t.strictSame(compose({ team_size: 50 }), compose({ team_size: 50 }))
  })

  t.test('creates different people for another organization', async (t) => {
    const names = (bundle: Bundle) => bundle.characters.map(({ full_name }) => full_name)
    t.strictNotSame(names(compose()), names(compose({ organization_id: 'another' })))
  })

  t.test('has at least three characters if a scenario is not for one or two', async (t) => {
    const small = (scenario_type: string, team_size: number) => {
      const { team_size: composed, warnings } = compose({ scenario_type, team_size })
      return [composed, warnings]
    }
    const message = 'This scenario needs 3 characters, so it gets 3'
    const warning = (value: string) => ({ field: 'team_size', value, message })
    t.strictSame(small('onboarding', 1), [3, [warning('1')]])
    t.strictSame(small('onboarding', 2), [3, [warning('2')]])
    t.strictSame(small('onboarding', 3), [3, []])
    t.strictSame(small('crisis_response', 1), [1, []])
  })

  t.test('shows each document of a scenario with its line', async (t) => {
    for (const scenario of catalogue.scenarios.values()) {
      const shown = messagesOf(compose({ scenario_type: scenario.scenario_type })).flatMap(
        ({ metadata }) => metadata.artefact ?? [],
      )
      const { artefacts = [] } = scenario
      t.strictSame(
        [...new Set(shown.map(({ title }) => title))].sort(),
        artefacts.map(({ title }) => title).sort(),
        scenario.scenario_type,
      )
      for (const { text } of shown) t.ok(artefacts.some((one) => one.text === text))
    }
  })

  t.test('keeps the existing people when the team grows', async (t) => {
    const people = (team_size: number) =>
      compose({ team_size }).characters.map(({ key, username, full_name }) => [
        key,
        username,
        full_name,
      ])
    for (const size of sizes) t.strictSame(people(50).slice(0, size), people(size))
  })

  t.test('makes a valid bundle of every scenario for every team size', async (t) => {
    for (const scenario_type of scenarios) {
      for (const team_size of sizes) {
        const faults = faultsIn(compose({ scenario_type, team_size }))
        t.strictSame(faults, [], `${scenario_type}, ${team_size}`)
      }
    }
  })

  t.test('makes a valid and rich bundle for six people under mixed values', async (t) => {
    for (let mix = 0; mix < 300; mix += 1) {
      const chosen = modelFields.map((field, i) => {
        const values = valuesOf(field)
        return [field, values[(mix * (i + 3) + Math.floor(mix / 7)) % values.length]]
      })
      const bundle = compose({ models: Object.fromEntries(chosen) })
      t.strictSame(faultsIn(bundle), [], JSON.stringify(chosen))
      t.ok(bundle.channels.length >= 4 && messagesOf(bundle).length >= 20)
    }
  })

  t.test('gives six people different initials', async (t) => {
    for (const organization_id of sizes.map(String)) {
      const { characters } = compose({ organization_id })
      t.equal(new Set(characters.map(({ full_name }) => full_name.charAt(0))).size, 6)
    }
  })

  t.test('marks the lines that only one arm has, the same number in each arm', async (t) => {
    for (const scenario_type of catalogue.scenarios.keys()) {
      const arms = postsIn(compose({ scenario_type })).flatMap(({ metadata }) => metadata.arm ?? [])
      const control = arms.filter((arm) => arm === 'control').length
      t.ok(control >= 3, scenario_type)
      t.equal(arms.length, 2 * control, scenario_type)
    }
  })

  t.test('posts each message after the start between minute 10 and 60 of a drill', async (t) => {
    for (const scenario_type of catalogue.scenarios.keys()) {
      for (const { offset_hours, metadata, thread_replies } of messagesOf(
        compose({ scenario_type }),
      )) {
        const { kind, drill_minute } = metadata
        if (kind === 'history') t.ok(offset_hours < 0 && drill_minute === undefined)
        else t.ok(Number.isInteger(drill_minute) && Number(drill_minute) >= 10)
        for (const reply of thread_replies) {
          const minute = reply.metadata.drill_minute ?? 10
          t.ok(minute >= (drill_minute ?? 0) && minute < 60)
        }
      }
    }
  })

  t.test('waits for participants at a decision, and names its fallback', async (t) => {
    const messages = messagesOf(compose())
    const asked = messages.filter(({ metadata }) => metadata.kind === 'decision_point')
    t.equal(asked.length, 3)
    for (const { metadata, thread_replies } of asked) {
      t.strictSame(thread_replies, [], 'no prepared reply answers for them')
      t.match(metadata.expectation, { act: 'decide', options: Array, deadline_minutes: Number })
      const fallback = messages.find((one) => one.metadata.fallback_for === metadata.beat)
      const minutes = Number(fallback?.metadata.drill_minute) - Number(metadata.drill_minute)
      t.ok(minutes >= Number(metadata.expectation?.deadline_minutes))
    }
  })

  t.test('offers no support under isolated high strain', async (t) => {
    const kinds = (pressure_model: string) =>
      messagesOf(composeShared({ pressure_model })).map(({ metadata }) => metadata.kind)
    t.notOk(kinds('isolated_high_strain').includes('support'))
    t.ok(kinds('high_strain').includes('support'))
  })

  t.test('hands a question over as often as the knowledge model says', async (t) => {
    for (const { value, effects } of catalogue.models.knowledge_model) {
      const bundle = composeShared({ knowledge_model: value })
      const thread = messagesOf(bundle).find(
        ({ sender, metadata }) => metadata.kind === 'knowledge' && sender === 'hr_assistant',
      )
      t.equal(thread?.thread_replies.length, effects.hand_overs, value)
    }
  })

  t.test('relates characters only to people of the bundle', async (t) => {
    const bundle = compose({ team_size: 4 })
    const edges = bundle.characters.flatMap(
      ({ metadata }) => metadata.relationships as { to: string }[],
    )
    const usernames = bundle.characters.map(({ username }) => username)
    t.strictSame(
      edges.filter(({ to }) => !usernames.includes(to)),
      [],
    )
    t.ok(edges.length > 0)
  })

  t.test("leaves room for people's own data in the experiment's metadata", async (t) => {
    for (const scenario_type of catalogue.scenarios.keys()) {
      for (const evaluation_model of valuesOf('evaluation_model')) {
        const { experiment } = compose({ scenario_type, models: { evaluation_model } })
        const bytes = Buffer.byteLength(JSON.stringify(experiment.metadata))
        t.ok(bytes < 16_384 / 2, `${scenario_type} ${evaluation_model}: ${bytes}`)
      }
    }
  })

  t.test('uses the preset of the scenario when no value is given', async (t) => {
    const { models, warnings } = compose({ models: { org_culture: null } })
    t.strictSame(models, catalogue.scenarios.get('hr_workforce')?.models)
    t.strictSame(warnings, [])
  })

  t.test('keeps unknown values, reports them, and builds the generic scenario', async (t) => {
    const { scenario_type, models, warnings } = compose({
      scenario_type: 'constructor',
      models: { org_culture: 'toString' },
    })
    t.equal(scenario_type, 'constructor')
    t.equal(models.org_culture, 'toString')
    t.match(warnings, [
      { field: 'scenario_type', value: 'constructor' },
      { field: 'org_culture', value: 'toString' },
    ])
  })

  t.test('warns about values that contradict each other', async (t) => {
    const models = { org_culture: 'clan', pressure_model: 'isolated_high_strain' }
    const [warning] = compose({ models }).warnings
    t.match(warning, {
      field: 'org_culture',
      value: 'clan',
      message: /^Pulls against pressure model “Isolated high strain”: \w/,
    })
    const own = { scenario_type: 'conflict_resolution', models: {} }
    t.strictSame(compose(own).warnings, [], 'a story can be about such a pair')
  })
})

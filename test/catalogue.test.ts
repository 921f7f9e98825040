import { type Bundle, type BundleRequest, composeBundle } from '../src/blueprints/bundle/compose.js'
import { type ModelField, modelFields } from '../src/blueprints/catalogue/entries.js'
import { loadCatalogue } from '../src/blueprints/catalogue/load.js'
import { t } from './helpers/file.js'

const catalogue = loadCatalogue()
const sizes = Array.from({ length: 50 }, (_, i) => i + 1)
const scenarios = ['hr_workforce', 'our own exercise']
const valuesOf = (field: ModelField) => [
  ...catalogue.models[field].values.map(({ value }) => value),
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

const messagesOf = ({ channels }: Bundle) =>
  channels.flatMap((channel) => channel.message_templates)
const repliesOf = (bundle: Bundle) =>
  messagesOf(bundle).flatMap((message) => message.thread_replies)
const textsOf = (bundle: Bundle) =>
  [...messagesOf(bundle), ...repliesOf(bundle)].map(({ content }) => content)
const repeated = (items: string[]) => items.filter((item, i) => items.indexOf(item) !== i)

/** Everything that is wrong with a bundle, in words; an empty list is a good bundle. */
function faultsIn(bundle: Bundle): string[] {
  const keys = bundle.characters.map(({ key }) => key)
  const people = bundle.characters
  const texts = textsOf(bundle)
  const senders = [...messagesOf(bundle), ...repliesOf(bundle)].map(({ sender }) => sender)
  return [
    ...repeated(people.map(({ full_name }) => full_name)),
    ...repeated(people.map(({ username }) => username)),
    ...repeated(people.map(({ full_name }) => full_name.split(' ')[0] ?? '')),
    ...repeated(bundle.channels.map(({ channel_name }) => channel_name)),
    ...repeated(texts),
    ...keys.filter((key) => !senders.includes(key)).map((key) => `${key} says nothing`),
    ...senders.filter((sender) => !keys.includes(sender)).map((sender) => `who is ${sender}`),
    ...texts.filter(
      (text) =>
        /[{}]|undefined|null| {2}|^[a-z\s]|\s$|[.?!] [a-z]/.test(text) || text.length > 2000,
    ),
    ...people.map(({ username }) => username).filter((name) => !/^[a-z0-9._-]{3,50}$/.test(name)),
    ...bundle.channels
      .map(({ channel_name }) => channel_name)
      .filter((name) => !/^[a-z][a-z0-9-]*[a-z0-9]$/.test(name)),
    ...(people.length === bundle.team_size ? [] : ['team_size']),
    ...bundle.channels.flatMap((channel) => orderFaults(channel.message_templates)),
  ]
}

function orderFaults(messages: Bundle['channels'][number]['message_templates']): string[] {
  return messages.flatMap(({ sender, offset_hours, thread_replies }, i) => {
    const before = messages[i - 1]?.offset_hours ?? Number.NEGATIVE_INFINITY
    const minutes = thread_replies.map(({ offset_minutes }) => offset_minutes)
    return [
      ...(Number.isInteger(offset_hours) && offset_hours >= before ? [] : ['hours run back']),
      ...(minutes.every((minute, at) => minute > (minutes[at - 1] ?? 0)) ? [] : ['minutes']),
      ...(thread_replies.some((reply) => reply.sender === sender) ? ['answers themselves'] : []),
    ]
  })
}

t.test('composeBundle', async (t) => {
  t.test('gives the same bundle for the same request', async (t) => {
    t.strictSame(compose({ team_size: 50 }), compose({ team_size: 50 }))
  })

  t.test('gives another organization other people', async (t) => {
    const names = (bundle: Bundle) => bundle.characters.map(({ full_name }) => full_name)
    t.strictNotSame(names(compose()), names(compose({ organization_id: 'another' })))
  })

  t.test('keeps everybody who was there when the team grows', async (t) => {
    const people = (team_size: number) =>
      compose({ team_size }).characters.map(({ key, username, full_name }) => [
        key,
        username,
        full_name,
      ])
    for (const size of sizes) t.strictSame(people(50).slice(0, size), people(size))
  })

  t.test('makes a sound bundle for every team size, and everybody speaks', async (t) => {
    for (const scenario_type of scenarios) {
      for (const team_size of sizes) {
        const bundle = compose({ scenario_type, team_size })
        t.strictSame(faultsIn(bundle), [], `${scenario_type}, ${team_size}`)
        if (team_size === 1) t.equal(repliesOf(bundle).length, 0)
      }
    }
  })

  t.test('makes a rich bundle of six under every value, and a sound one of any size', async (t) => {
    for (const scenario_type of scenarios) {
      for (const field of modelFields) {
        for (const value of valuesOf(field)) {
          const models = { [field]: value }
          const bundle = compose({ scenario_type, models })
          t.ok(bundle.channels.length >= 4, `${value}: channels`)
          t.ok(messagesOf(bundle).length >= 12, `${value}: messages`)
          t.ok(repliesOf(bundle).length >= 8, `${value}: replies`)
          t.ok(messagesOf(bundle).some(({ offset_hours }) => offset_hours < 0))
          for (const team_size of [1, 2, 3, 6, 7, 20, 50]) {
            const faults = faultsIn(compose({ scenario_type, team_size, models }))
            t.strictSame(faults, [], `${value}, ${team_size}`)
          }
        }
      }
    }
  })

  t.test('makes a sound and rich bundle of six under mixed values', async (t) => {
    for (let mix = 0; mix < 300; mix += 1) {
      const chosen = modelFields.map((field, i) => {
        const values = valuesOf(field)
        return [field, values[(mix * (i + 3) + Math.floor(mix / 7)) % values.length]]
      })
      const bundle = compose({ models: Object.fromEntries(chosen) })
      t.strictSame(faultsIn(bundle), [], JSON.stringify(chosen))
      t.ok(messagesOf(bundle).length >= 12 && repliesOf(bundle).length >= 8)
    }
  })

  t.test('changes what is said or when, whichever model is changed', async (t) => {
    for (const scenario_type of scenarios) {
      for (const team_size of [1, 2, 6, 50]) {
        for (const field of modelFields) {
          const told = valuesOf(field).map((value) => {
            const bundle = compose({ scenario_type, team_size, models: { [field]: value } })
            return JSON.stringify(messagesOf(bundle).map((one) => ({ ...one, metadata: null })))
          })
          // No consequence and an unknown one are alike: neither brings a follow-up.
          const alike = field === 'consequence_model' ? 1 : 0
          const few = `${scenario_type}, ${field}, ${team_size}`
          t.equal(new Set(told).size, told.length - alike, few)
        }
      }
    }
  })

  t.test('offers no support under isolated high strain', async (t) => {
    const kinds = (pressure_model: string) =>
      messagesOf(compose({ models: { pressure_model } })).map(({ metadata }) => metadata.kind)
    t.notOk(kinds('isolated_high_strain').includes('support'))
    t.ok(kinds('high_strain').includes('support'))
  })

  t.test('follows an error up after the hours of the consequence model', async (t) => {
    const of = (consequence_model: string) => messagesOf(compose({ models: { consequence_model } }))
    const error = of('retributive').find(({ metadata }) => metadata.beat === 'carry_over_error')
    const followUps = of('retributive').filter(({ metadata }) => metadata.kind === 'consequence')
    t.equal(followUps[0]?.offset_hours, (error?.offset_hours ?? 0) + 4)
    t.notOk(of('none').some(({ metadata }) => metadata.kind === 'consequence'))
  })

  t.test('hands a question over as often as the knowledge model says', async (t) => {
    for (const { value, effects } of catalogue.models.knowledge_model.values) {
      const bundle = compose({ models: { knowledge_model: value } })
      const thread = messagesOf(bundle).find(
        ({ sender, metadata }) => metadata.kind === 'knowledge' && sender === 'hr_assistant',
      )
      t.equal(thread?.thread_replies.length, effects.hand_overs, value)
    }
  })

  t.test('ties characters only to people of the bundle', async (t) => {
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

  t.test('leaves room in the metadata of the experiment for what people add', async (t) => {
    for (const scenario_type of scenarios) {
      for (const field of modelFields) {
        for (const value of valuesOf(field)) {
          const { experiment } = compose({ scenario_type, models: { [field]: value } })
          const bytes = Buffer.byteLength(JSON.stringify(experiment.metadata))
          t.ok(bytes < 16_384 / 2, `${scenario_type} ${value}: ${bytes}`)
        }
      }
    }
  })

  t.test('takes the preset of the scenario where nothing is given', async (t) => {
    const { models, warnings } = compose({ models: { org_culture: null } })
    t.strictSame(models, catalogue.scenarios.get('hr_workforce')?.models)
    t.strictSame(warnings, [])
  })

  t.test('keeps unknown values, names them, and builds the generic scenario', async (t) => {
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
})

import type { Schema } from '../../src/contract.js'
import { quickSetupsOf } from '../helpers/blueprints.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const service = await startService(t)
const { call, registerAdmin } = service

/** Every value that the contract names; the preset of `hr_workforce` comes first. */
const models = {
  org_culture: ['clan', 'adhocracy', 'market', 'hierarchy'],
  pressure_model: ['active', 'low_strain', 'high_strain', 'passive', 'isolated_high_strain'],
  team_topology: ['stream_aligned', 'platform', 'enabling', 'complicated_subsystem'],
  meeting_model: [
    'weekly_status',
    'daily_standup',
    'one_on_ones',
    'decision_forum',
    'training_session',
    'brainstorm',
    'town_hall',
    'crisis_room',
    'async_first',
  ],
  evaluation_model: [
    'management_by_objectives',
    'behaviorally_anchored',
    'multi_source_360',
    'critical_incident',
    'forced_distribution',
    'kirkpatrick_four_levels',
  ],
  relationship_model: [
    'communal_sharing',
    'authority_ranking',
    'equality_matching',
    'market_pricing',
  ],
  consequence_model: [
    'restorative',
    'just_culture',
    'retributive',
    'progressive_discipline',
    'none',
  ],
  knowledge_model: [
    'socialization',
    'externalization',
    'combination',
    'internalization',
    'transactive_memory',
    'siloed',
  ],
}

const admin = await registerAdmin()
const { token } = admin
const apply = (body: object) => quickSetupsOf(service).apply(admin, body)

/** The messages with channel and time, as a reader of the templates sees them. */
async function readStory(scenario_name = 'hr_workforce'): Promise<string> {
  const answer = await call('listChannelTemplates', { token, query: { scenario_name } })
  const templates: Schema<'ChannelTemplate'>[] = answer.body
  return JSON.stringify(
    templates.map(({ channel_name, message_templates = [] }) => [
      channel_name,
      message_templates.map(({ content, offset_hours, thread_replies = [] }) => [
        content,
        offset_hours,
        thread_replies.map((reply) => [reply.content, reply.offset_minutes]),
      ]),
    ]),
  )
}

/** Returns the warnings about unknown values, and leaves out those about contradictions. */
const unknownIn = ({ warnings }: Schema<'QuickSetupResult'>) =>
  warnings.filter(({ message }) => !message.startsWith('Pulls against'))

t.test('applyQuickSetup', async (t) => {
  for (const [field, values] of Object.entries(models)) {
    t.test(`accepts every documented ${field}, and each tells a different story`, async (t) => {
      const stories = new Map<string, string>()
      for (const value of values) {
        const result = await apply({ [field]: value })
        t.strictSame(unknownIn(result), [], value)
        t.match(result.models, { [field]: value })
        const story = await readStory()
        t.equal(stories.get(story), undefined, `${value} differs`)
        stories.set(story, value)
      }
      await apply({})
      t.equal(stories.get(await readStory()), values[0], 'the preset is the first value')
    })
  }

  t.test('keeps an unknown model value, with a warning and without an effect', async (t) => {
    for (const field of Object.keys(models)) {
      const value = 'something of our own'
      const result = await apply({ [field]: value, team_size: 2 })
      t.match(result.models, { [field]: value })
      t.match(unknownIn(result), [{ field, value, message: /\S/ }])
      t.equal(unknownIn(result).length, 1)
      const story = await readStory()
      await apply({ [field]: 'something else', team_size: 2 })
      t.equal(await readStory(), story, `every unknown ${field} has the same messages`)
    }
  })

  t.test('treats names from Object.prototype as unknown values', async (t) => {
    const result = await apply({ org_culture: 'constructor', scenario_type: 'toString' })
    t.match(unknownIn(result), [{ field: 'scenario_type' }, { field: 'org_culture' }])
  })

  t.test('builds the generic scenario under an unknown name, with a warning', async (t) => {
    const scenario_type = 'Störfall: Übung 7'
    const result = await apply({ scenario_type, include_template_payload: true })
    t.equal(result.scenario_type, scenario_type)
    t.match(result.warnings, [{ field: 'scenario_type', value: scenario_type, message: /\S/ }])
    t.equal(result.warnings.length, 1)
    const { channel_templates = [], characters = [] } = result.template_payload ?? {}
    t.ok(channel_templates.length >= 4)
    t.ok(channel_templates.every(({ scenario_name }) => scenario_name === scenario_type))
    t.equal(characters.length, 6)
    const story = await readStory(scenario_type)
    await apply({ scenario_type: 'yet another' })
    t.not(story, '[]')
    t.not(story, await readStory())
  })

  t.test('reports every unknown value of a request', async (t) => {
    const unknown = Object.fromEntries(Object.keys(models).map((field) => [field, 'Our Own']))
    const { warnings } = await apply({ scenario_type: 'our own', ...unknown })
    const fields = warnings.map(({ field }) => field).toSorted()
    t.strictSame(fields, ['scenario_type', ...Object.keys(models)].toSorted())
  })
})

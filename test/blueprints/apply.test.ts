import type { Schema } from '../../src/contract.js'
import { quickSetupsOf } from '../helpers/blueprints.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'

const service = await startService(t)
const { call, db, registerAdmin } = service
const { request: apply, usersOf, templatesOf } = quickSetupsOf(service)

const sendersOf = (templates: Schema<'ChannelTemplate'>[]) =>
  templates
    .flatMap(({ message_templates = [] }) => message_templates)
    .flatMap((message) => [message, ...(message.thread_replies ?? [])])
    .map(({ sender_character_id = '' }) => sender_character_id)

/** The values that `hr_workforce` sets when a request names none. */
const preset = {
  org_culture: 'clan',
  pressure_model: 'active',
  team_topology: 'stream_aligned',
  meeting_model: 'weekly_status',
  evaluation_model: 'management_by_objectives',
  relationship_model: 'communal_sharing',
  consequence_model: 'restorative',
  knowledge_model: 'socialization',
}
const none = { characters: 0, channel_templates: 0, experiments: 0, departments: 0 }

t.test('applyQuickSetup', async (t) => {
  t.test('answers an empty request with the whole result of the default scenario', async (t) => {
    const admin = await registerAdmin()
    const { status, body } = await apply(admin)
    const templates = await templatesOf(admin)
    const departments = await departmentsOf(admin)
    t.equal(status, 200)
    t.strictSame(body, {
      _id: body._id,
      organization_id: admin.organization_id,
      scenario_type: 'hr_workforce',
      catalogue_version: '2026-3',
      models: preset,
      team_size: 6,
      overwrite_existing: true,
      created: {
        characters: 6,
        channel_templates: templates.length,
        experiments: 1,
        departments: departments.length,
      },
      updated: none,
      removed: none,
      skipped: [],
      character_ids: body.character_ids,
      channel_template_ids: body.channel_template_ids,
      experiment_id: body.experiment_id,
      template_payload: null,
      warnings: [],
      metadata: {},
      applied_at: body.applied_at,
      applied_by: admin.user_id,
    })
    t.equal(new Set(body.character_ids).size, 6)
    t.strictSame(body.channel_template_ids.toSorted(), templates.map(({ _id }) => _id).toSorted())
    t.equal(new Date(body.applied_at).toISOString(), body.applied_at)
  })

  t.test('treats null as absent', async (t) => {
    const nulls = Object.fromEntries(Object.keys(preset).map((field) => [field, null]))
    const admin = await registerAdmin()
    const body = { ...nulls, organization_id: null, team_size: null }
    const answer = await apply(admin, body)
    t.match(answer.body, { organization_id: admin.organization_id, team_size: 6, models: preset })
    t.strictSame(answer.body.warnings, [])
  })

  t.test('accepts every field of the request', async (t) => {
    const admin = await registerAdmin()
    const models = {
      org_culture: 'market',
      pressure_model: 'high_strain',
      team_topology: 'platform',
      meeting_model: 'town_hall',
      evaluation_model: 'critical_incident',
      relationship_model: 'market_pricing',
      consequence_model: 'just_culture',
      knowledge_model: 'siloed',
    }
    const wanted = {
      team_size: 3,
      overwrite_existing: false,
      metadata: { cohort: ['a', { b: 1 }] },
    }
    const { organization_id } = admin
    const given = { organization_id, scenario_type: 'hr_workforce', ...models, ...wanted }
    const { body } = await apply(admin, { ...given, include_template_payload: true })
    t.match(body, { organization_id, scenario_type: 'hr_workforce', ...wanted })
    t.strictSame(body.models, models)
    t.strictSame(body.metadata, wanted.metadata)
    t.equal(body.character_ids.length, 3)
    t.ok(body.template_payload)
  })

  t.test('makes bots with a persona, which the list of users shows', async (t) => {
    const admin = await registerAdmin()
    const { body } = await apply(admin)
    const bots = (await usersOf(admin)).filter(({ is_bot }) => is_bot)
    t.strictSame(bots.map(({ _id }) => _id).toSorted(), body.character_ids.toSorted())
    for (const bot of bots) {
      t.match(bot, { role: 'bot', is_bot: true, is_active: true, last_seen: null })
      t.equal(bot.organization_id, admin.organization_id)
      t.ok(bot.full_name && bot.bio && bot.career_goals?.current_role)
      t.ok(bot.education?.length && bot.hobbies?.length)
      t.equal(bot.metadata?.scenario_name, 'hr_workforce')
    }
    t.equal(new Set(bots.map(({ full_name }) => full_name)).size, 6)
  })

  t.test('creates characters that cannot log in', async (t) => {
    const admin = await registerAdmin()
    await apply(admin, { team_size: 2 })
    const [bot] = (await usersOf(admin)).filter(({ is_bot }) => is_bot)
    for (const password of ['correct horse battery staple', 'x']) {
      t.equal((await call('login', { body: { email: bot?.email, password } })).status, 401)
    }
    const credentials = await db
      .selectFrom('credentials')
      .select('user_id')
      .where('organization_id', '=', admin.organization_id)
      .execute()
    t.strictSame(credentials, [{ user_id: admin.user_id }])
  })

  t.test('lets only characters speak in the templates, and each of them speaks', async (t) => {
    const admin = await registerAdmin()
    const { body } = await apply(admin)
    const templates = await templatesOf(admin)
    t.ok(templates.length >= 4)
    t.ok(templates.every(({ scenario_name }) => scenario_name === 'hr_workforce'))
    const senders = sendersOf(templates)
    t.ok(senders.length >= 20)
    t.strictSame([...new Set(senders)].toSorted(), body.character_ids.toSorted())
  })

  t.test('creates a draft experiment that updateExperiment can change', async (t) => {
    const admin = await registerAdmin()
    const { body } = await apply(admin)
    const params = { experiment_id: body.experiment_id }
    const update = { token: admin.token, params, body: {} }
    const { body: experiment } = await call('updateExperiment', update)
    t.match(experiment, {
      _id: body.experiment_id,
      organization_id: admin.organization_id,
      name: 'Baseline vs intervention',
      hypothesis: /\S/,
      status: 'draft',
      control_session_ids: [],
      intervention_session_ids: [],
      assignment_ids: [],
      start_at: null,
      end_at: null,
      created_by: admin.user_id,
    })
  })

  t.test('adds the departments that are missing in the branding', async (t) => {
    const admin = await registerAdmin()
    const params = { organization_id: admin.organization_id }
    const departments = ['pEOPLE', 'Stockroom']
    const { token } = admin
    await call('updateBranding', { token, params, body: { departments, primary_color: '#abc' } })
    const { body } = await apply(admin, { team_size: 50 })
    const found = await departmentsOf(admin)
    t.strictSame(found.slice(0, 2), departments)
    t.ok(found.length > 2)
    t.equal(body.created.departments, found.length - 2)
    t.equal(new Set(found.map((name: string) => name.toLowerCase())).size, found.length)
    const cast = (await usersOf(admin)).map(({ career_goals }) => career_goals?.department)
    const missing = cast.filter((name) => name && name !== 'People' && !found.includes(name))
    t.strictSame(missing, [])
    t.equal((await apply(admin, { team_size: 50 })).body.created.departments, 0)
    t.strictSame(await departmentsOf(admin), found)
  })

  t.test('includes the templates when asked for the template payload', async (t) => {
    const admin = await registerAdmin()
    const { body } = await apply(admin, { include_template_payload: true })
    const { characters, channel_templates, experiment } = body.template_payload
    t.strictSame(
      characters,
      (await usersOf(admin)).filter(({ is_bot }) => is_bot),
    )
    t.strictSame(channel_templates, await templatesOf(admin))
    t.match(experiment, { _id: body.experiment_id, status: 'draft', warnings: [] })
  })

  t.test('creates a team of 1 and a team of 50, in which all names differ', async (t) => {
    for (const team_size of [1, 50]) {
      const admin = await registerAdmin()
      const { body } = await apply(admin, { team_size })
      t.equal(body.created.characters, team_size)
      const bots = (await usersOf(admin)).filter(({ is_bot }) => is_bot)
      t.equal(new Set(bots.map(({ full_name }) => full_name)).size, team_size)
      const speakers = new Set(sendersOf(await templatesOf(admin)))
      t.ok(speakers.size >= Math.min(team_size, 6 + 14), 'core and colleagues with a role speak')
    }
  })
})

/** Reads the departments of the branding with an update that changes nothing. */
async function departmentsOf({ token, organization_id }: Member): Promise<string[]> {
  const params = { organization_id }
  return (await call('updateBranding', { token, params, body: {} })).body.departments
}

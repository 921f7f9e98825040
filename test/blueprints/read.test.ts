import { blueprintOf } from '../../src/blueprints/blueprints.js'
import type { ModelField } from '../../src/blueprints/catalogue/entries.js'
import { modelFields } from '../../src/blueprints/catalogue/entries.js'
import type { CatalogueFile } from '../../src/blueprints/catalogue/files.js'
import { catalogueFrom } from '../../src/blueprints/catalogue/load.js'
import type { Role, Schema } from '../../src/contract.js'
import { schemaFaults } from '../helpers/contract.js'
import { t } from '../helpers/file.js'
import { builtIn } from '../helpers/own-scenario.js'
import { startService } from '../helpers/service.js'
import { locate } from '../helpers/walk.js'

const { call, url, registerAdmin, addMember } = await startService(t)
const admin = await registerAdmin()
const { organization_id } = admin
const tokenOf = async (role: Role) => (await addMember(organization_id, role)).token
const list = (token: string, query: Record<string, string> = {}) =>
  call('listBlueprints', { token, query })
const get = (token: string, scenario_type = 'hr_workforce', headers = {}) =>
  call('getBlueprint', { token, params: { scenario_type }, headers })

/** Returns the values of an enum of the contract. */
const enumOf = (name: string): string[] =>
  locate<{ enum: string[] }>(['components', 'schemas', name]).node.enum
const nameOf = (field: string) =>
  `Known${field.replace(/(^|_)(\w)/g, (_, _gap, letter: string) => letter.toUpperCase())}`

const filesWith = (parts: object): CatalogueFile[] =>
  builtIn.map((file) =>
    file.name === 'scenarios/hr_workforce.yaml'
      ? { ...file, data: { ...(file.data as object), ...parts } }
      : file,
  )

function blueprintWith(parts: object): Schema<'Blueprint'> {
  const catalogue = catalogueFrom(filesWith(parts))
  const scenario = catalogue.scenarios.get('hr_workforce')
  if (!scenario) throw new Error('There is no such scenario')
  return blueprintOf(catalogue, scenario)
}

t.test('listBlueprints', async (t) => {
  t.test('lists every scenario with the fields for a choice, in less than 20 kB', async (t) => {
    const { body, headers } = await list(admin.token)
    const listed = body as Schema<'BlueprintList'>
    const types = listed.map((one) => one.scenario_type)
    t.strictSame(types, [...enumOf('KnownScenarioType'), 'generic'].sort())
    t.equal(headers.get('link'), null)
    t.ok(JSON.stringify(body).length < 20_000)
    for (const { cast_size, channel_names, duration_minutes, presets, ...shown } of listed) {
      const whole = (await get(admin.token, shown.scenario_type)).body as Schema<'Blueprint'>
      t.match(whole, shown)
      t.equal(whole.cast.length, cast_size)
      t.strictSame(
        whole.channels.map(({ channel_name }) => channel_name),
        channel_names,
      )
      t.equal(whole.run_sheet.at(-1)?.to_minute ?? null, duration_minutes)
      for (const field of modelFields) t.equal(whole.models[field].preset, presets[field])
    }
    t.ok(listed.some(({ duration_minutes }) => duration_minutes))
    t.strictSame((await list(await tokenOf('employee'))).body, body, 'also for an employee')
  })

  t.test('answers page by page, each page with its own tag', async (t) => {
    const first = await list(admin.token, { limit: '1' })
    const link = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const cursor = new URLSearchParams(link.split('?')[1]).get('cursor') ?? ''
    const rest = await list(admin.token, { cursor })
    t.equal(first.body.length, 1)
    t.equal(rest.headers.get('link'), null)
    t.strictSame([...first.body, ...rest.body], (await list(admin.token)).body)
    t.not(first.headers.get('etag'), rest.headers.get('etag'))
    const past = Buffer.from('["zzz"]').toString('base64url')
    t.strictSame((await list(admin.token, { cursor: past })).body, [])
    t.equal((await list(admin.token, { cursor: 'x' })).status, 422)
  })

  t.test('answers 304 to a caller who has the current version', async (t) => {
    const { headers } = await list(admin.token)
    const answer = await call('listBlueprints', {
      token: admin.token,
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    })
    t.equal(answer.status, 304)
  })
})

t.test('getBlueprint', async (t) => {
  t.test('shows the effects and the source of each value of each model', async (t) => {
    const { body } = await get(admin.token)
    for (const field of modelFields) {
      const { preset, values } = body.models[field] as Schema<'BlueprintModel'>
      t.strictSame(values.map(({ value }) => value).toSorted(), enumOf(nameOf(field)).toSorted())
      t.ok(values.some(({ value }) => value === preset))
      for (const { label, description, effects, source } of values) {
        t.ok(label && description && source.title)
        t.ok(Object.keys(effects).length > 0, `${field} ${label}`)
        t.notMatch(JSON.stringify(effects), /\{(?!area)\w+\}/, 'the placeholders are replaced')
        t.notOk('lines' in effects)
      }
    }
    t.equal(body.cast.length, 6)
    t.ok(body.channels.length >= 4)
    t.ok(body.hypothesis)
    t.ok(body.measures.length > 0)
  })

  t.test('has scales that a program can read', async (t) => {
    const { body } = await get(admin.token)
    const { values } = body.models.evaluation_model as Schema<'BlueprintModel'>
    const items = [...body.rubric, ...values.flatMap(({ rubric }) => rubric)]
    t.ok(items.length > 15)
    for (const { question, scale } of items as Schema<'RubricItem'>[]) {
      t.notMatch(question, /[{}]/)
      if (scale.type !== 'ordinal') continue
      const { min = 1, max = 0, levels = [] } = scale
      t.ok(min < max, question)
      for (const { value } of levels) t.ok(value >= min && value <= max, question)
    }
    const [raising] = values.find(({ value }) => value === 'behaviorally_anchored')?.rubric ?? []
    t.match(raising?.scale, { type: 'ordinal', min: 1, max: 5, levels: [{ value: 1 }, {}, {}] })
  })

  t.test('answers with every part of a scenario, and nothing else', async (t) => {
    const schema = ['components', 'schemas', 'Blueprint']
    const { body } = await get(admin.token, 'crisis_response')
    const whole = body as Schema<'Blueprint'>
    t.strictSame(schemaFaults(schema, whole), [])
    const ofPlay = ['participant_roles', 'artefacts', 'decision_points'] as const
    const ofTrainers = ['beats', 'observer', 'debrief', 'run_sheet'] as const
    for (const part of [...ofPlay, ...ofTrainers]) t.ok(whole[part].length > 0, part)
    t.ok(whole.intervention)
    t.ok(whole.situation?.place && whole.solo)
    t.notMatch(JSON.stringify(whole.cast), /private_/, 'the secrets of a character are never shown')
  })

  t.test('shows an employee no secrets of a scenario', async (t) => {
    const schema = ['components', 'schemas', 'Blueprint']
    const type = 'crisis_response'
    const whole = (await get(admin.token, type)).body as Schema<'Blueprint'>
    const open = (await get(await tokenOf('employee'), type)).body as Schema<'Blueprint'>
    t.strictSame(schemaFaults(schema, open), [])
    t.strictSame(open.situation, whole.situation, 'participants read the situation')
    const { beats, decision_points, intervention, run_sheet, participant_roles } = whole
    const { artefacts, observer, debrief } = whole
    const roles = participant_roles.map(({ private_information, goal }) => [
      private_information,
      goal,
    ])
    const parts = [beats, decision_points, intervention, run_sheet, roles, artefacts, observer]
    const texts: string[] = [
      ...(JSON.stringify(parts).match(/(?<=":")[^"]{20,}(?=")/g) ?? []),
      ...debrief,
    ]
    t.ok(texts.length > 40)
    for (const text of texts) t.notOk(JSON.stringify(open).includes(text), text)
    t.match(
      open.participant_roles,
      participant_roles.map(({ role_key, title, brief }) => {
        return { role_key, title, brief, private_information: null, goal: null }
      }),
    )
  })

  t.test('hides from participants what only leaders may see', async (t) => {
    const ofPlay = ['artefacts', 'beats', 'decision_points', 'run_sheet']
    const hidden = [...ofPlay, 'observer', 'debrief', 'measures', 'rubric']
    const whole = (await get(admin.token)).body
    for (const role of ['super_admin', 'hr'] as const) {
      t.strictSame((await get(await tokenOf(role))).body, whole, role)
    }
    for (const role of ['executive', 'employee', 'bot'] as const) {
      const { body, headers } = await get(await tokenOf(role))
      for (const part of hidden) t.strictSame(body[part], [], part)
      t.equal(body.hypothesis, null)
      for (const field of modelFields) {
        for (const { rubric } of body.models[field as ModelField].values) t.strictSame(rubric, [])
      }
      t.strictSame(body.cast, whole.cast)
      t.not(headers.get('etag'), (await get(admin.token)).headers.get('etag'))
    }
  })

  t.test('answers 304 for the current version, in every form of If-None-Match', async (t) => {
    const { headers } = await get(admin.token)
    const tag = headers.get('etag') ?? ''
    t.match(tag, /^"[\w-]{27}"$/)
    t.equal(headers.get('cache-control'), 'private, no-cache')
    for (const header of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await get(admin.token, 'hr_workforce', { 'if-none-match': header })
      t.equal(answer.status, 304, header)
      if (header !== '*') t.equal(answer.headers.get('etag'), tag)
    }
    for (const header of ['"other"', tag.slice(1, -1), '']) {
      t.equal((await get(admin.token, 'hr_workforce', { 'if-none-match': header })).status, 200)
    }
    const participant = await get(await tokenOf('employee'), 'hr_workforce', {
      'if-none-match': tag,
    })
    t.equal(participant.status, 200, 'an employee has another version')
    const head = await fetch(`${url}/api/v1/admin/simulation/scenario-blueprints/generic`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${admin.token}` },
    })
    t.equal(head.status, 200)
    t.ok(head.headers.get('etag'))
  })

  t.test('answers 404 for an unknown scenario type', async (t) => {
    for (const type of ['our own exercise', 'HR_WORKFORCE', '__proto__', 'x'.repeat(3000)]) {
      const { status, body } = await get(admin.token, type)
      t.equal(status, 404, type.slice(0, 20))
      t.equal(body.code, 'blueprint_not_found')
    }
  })
})

t.test('A catalogue is refused when', async (t) => {
  t.test('a rubric or the decisions name a beat that does not exist', async (t) => {
    const [beat] = blueprintWith({}).beats
    t.throws(() => blueprintWith({ beats: [beat] }), /hr_workforce\.yaml:\d+: there is no beat/)
  })

  t.test('a scale is invalid', async (t) => {
    const experimentWith = (scale: object) => ({
      experiment: {
        name: 'A',
        hypothesis: 'B',
        measures: [{ label: 'C', statistic: 'message_count' }],
        rubric: [{ criterion: 'D', question: 'E?', scale }],
      },
    })
    t.ok(blueprintWith(experimentWith({ type: 'duration' })))
    const levels = [1, 2].map((value) => ({ value, label: 'a', description: 'b' }))
    const faulty = [{ type: 'ordinal' }, { type: 'stars' }, { type: 'boolean', levels }, {}]
    for (const scale of faulty) {
      t.throws(() => blueprintWith(experimentWith(scale)), /hr_workforce\.yaml:\d+: experiment/)
    }
  })
})

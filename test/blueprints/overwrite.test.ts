import type { Schema } from '../../src/contract.js'
import { jsonb } from '../../src/database/expressions.js'
import { createId } from '../../src/formats/identifiers.js'
import { quickSetupsOf } from '../helpers/blueprints.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'

const service = await startService(t)
const { call, db, registerAdmin } = service
const { apply, charactersOf, templatesOf } = quickSetupsOf(service)

const updateExperiment = ({ token }: Member, experiment_id: string, body: object = {}) =>
  call('updateExperiment', { token, params: { experiment_id }, body })
/** Sets the times of writing to null. */
const timeless = (items: object[]) =>
  items.map((item) => ({ ...item, created_at: null, updated_at: null }))
const ids = (items: { _id?: string | null }[]) => items.map(({ _id }) => _id ?? '').toSorted()
const none = { characters: 0, channel_templates: 0, experiments: 0, departments: 0 }

/** Inserts a template as the service stores one that a person has created. */
async function insertByHand({ organization_id }: Member, scenario_name: string, channel: string) {
  const message = { sender_character_id: 'somebody', content: 'Written by hand', offset_hours: 1 }
  const template = { organization_id, _id: createId(), setup_id: null, channel_name: channel }
  const message_templates = jsonb([{ ...message, thread_replies: [], metadata: {} }])
  await db
    .insertInto('channel_templates')
    .values({ ...template, scenario_name, message_templates })
    .execute()
  return template._id
}

t.test('applyQuickSetup', async (t) => {
  t.test('returns the same bundle for the same request', async (t) => {
    const admin = await registerAdmin()
    const request = { team_size: 8, org_culture: 'market', include_template_payload: true }
    const first = await apply(admin, request)
    const again = await apply(admin, request)
    const same = ['models', 'character_ids', 'channel_template_ids', 'experiment_id'] as const
    for (const field of same) t.strictSame(again[field], first[field], field)
    t.strictSame(again.created, none)
    t.strictSame(again.removed, none)
    t.strictSame(again.updated, { ...first.created, departments: 0 })
    t.strictSame(again.skipped, [])
    const [before, after] = [first.template_payload, again.template_payload]
    t.strictSame(timeless(after?.characters ?? []), timeless(before?.characters ?? []))
    t.strictSame(
      timeless(after?.channel_templates ?? []),
      timeless(before?.channel_templates ?? []),
    )
    t.equal((await charactersOf(admin)).length, 8)
  })

  t.test('replaces what an earlier setup made and removes what is no longer needed', async (t) => {
    const admin = await registerAdmin()
    const first = await apply(admin, { team_size: 24 })
    const before = await templatesOf(admin)
    const other = { team_size: 12, team_topology: 'platform', org_culture: 'hierarchy' }
    const second = await apply(admin, other)
    const after = await templatesOf(admin)

    t.equal(second.overwrite_existing, true)
    t.strictSame(second.character_ids, first.character_ids.slice(0, 12))
    t.strictSame(ids(await charactersOf(admin)), second.character_ids.toSorted())
    t.match(second.updated, { characters: 12, experiments: 1 })
    t.equal(second.removed.characters, 12)
    t.strictSame(ids(after), second.channel_template_ids.toSorted())
    const channels = (list: typeof after) => list.map(({ channel_name }) => channel_name)
    const gone = channels(before).filter((name) => !channels(after).includes(name))
    const fresh = channels(after).filter((name) => !channels(before).includes(name))
    t.ok(gone.length > 0 && fresh.length > 0)
    t.equal(second.removed.channel_templates, gone.length)
    t.equal(second.created.channel_templates, fresh.length)
    t.equal(second.updated.channel_templates, after.length - fresh.length)
    const kept = before.filter(({ channel_name }) => channels(after).includes(channel_name))
    for (const { channel_name, _id, message_templates } of kept) {
      const now = after.find((one) => one.channel_name === channel_name)
      t.equal(now?._id, _id)
      t.strictNotSame(now?.message_templates, message_templates)
    }
    t.strictSame(second.skipped, [])
    t.equal(second.experiment_id, first.experiment_id)
    const { body: experiment } = await updateExperiment(admin, first.experiment_id)
    t.match(experiment.metadata.models, { team_topology: 'platform', org_culture: 'hierarchy' })
  })

  t.test('gives the people who stay the profile of the new bundle', async (t) => {
    const admin = await registerAdmin()
    await apply(admin, { team_size: 6, relationship_model: 'communal_sharing' })
    const before = await charactersOf(admin)
    await apply(admin, { team_size: 6, relationship_model: 'market_pricing' })
    const after = await charactersOf(admin)
    const names = ({ _id, username, full_name }: Schema<'User'>) => [_id, username, full_name]
    t.strictSame(after.map(names), before.map(names))
    t.strictNotSame(
      after.map(({ metadata }) => metadata),
      before.map(({ metadata }) => metadata),
    )
  })

  t.test('without overwrite_existing, only adds what is missing, and lists the rest', async (t) => {
    const admin = await registerAdmin()
    const first = await apply(admin, { team_size: 4 })
    const [people, templates] = [await charactersOf(admin), await templatesOf(admin)]
    const { body: experiment } = await updateExperiment(admin, first.experiment_id)
    const request = { overwrite_existing: false, team_topology: 'platform', org_culture: 'market' }
    const second = await apply(admin, { ...request, team_size: 7 })

    const isOld = (list: object[]) => (item: { _id?: string | null }) =>
      list.some((old) => '_id' in old && old._id === item._id)
    const peopleNow = await charactersOf(admin)
    const templatesNow = await templatesOf(admin)
    t.strictSame(peopleNow.filter(isOld(people)), people)
    t.strictSame(templatesNow.filter(isOld(templates)), templates)
    t.strictSame((await updateExperiment(admin, first.experiment_id)).body, experiment)
    t.equal(second.created.characters, 3)
    t.equal(peopleNow.length, 7)
    t.ok(second.created.channel_templates > 0)
    t.equal(templatesNow.length, templates.length + second.created.channel_templates)
    t.strictSame(second.updated, none)
    t.strictSame(second.removed, none)
    const wanted = new Set(second.channel_template_ids)
    const shared = templates.filter(({ _id }) => wanted.has(_id ?? ''))
    const exists = (kind: string, names: (string | null | undefined)[]) =>
      names.map((name) => ({ kind, name, reason: 'exists' }))
    const expected = [
      ...exists(
        'character',
        people.map(({ full_name }) => full_name),
      ),
      ...exists(
        'channel_template',
        shared.map(({ channel_name }) => channel_name),
      ),
      ...exists('experiment', ['Baseline vs intervention']),
    ]
    const byName = (list: object[]) => list.map((one) => JSON.stringify(one)).toSorted()
    t.strictSame(byName(second.skipped), byName(expected))
  })

  t.test('without overwrite_existing, removes no character, even for a smaller team', async (t) => {
    const admin = await registerAdmin()
    await apply(admin, { team_size: 5 })
    const { created, character_ids } = await apply(admin, {
      team_size: 2,
      overwrite_existing: false,
    })
    t.equal(created.characters, 0)
    t.equal(character_ids.length, 2)
    t.equal((await charactersOf(admin)).length, 5)
  })

  t.test('never changes templates made by people', async (t) => {
    const admin = await registerAdmin()
    const [{ channel_name = '' } = {}] = await templatesOfStranger()
    await insertByHand(admin, 'hr_workforce', channel_name)
    await insertByHand(admin, 'hr_workforce', 'our-own-channel')
    await insertByHand(admin, 'another scenario', channel_name)
    const before = await templatesOf(admin)
    for (const overwrite_existing of [true, false, true]) {
      const result = await apply(admin, { overwrite_existing, team_size: 3 })
      const made = { kind: 'channel_template', name: channel_name, reason: 'made_by_hand' }
      t.strictSame(
        result.skipped.filter(({ reason }) => reason !== 'exists'),
        [made],
      )
      const now = await templatesOf(admin)
      t.strictSame(
        now.filter(({ _id }) => ids(before).includes(_id ?? '')),
        before,
      )
      t.strictSame(ids(now), [...ids(before), ...result.channel_template_ids].toSorted())
      t.equal(now.filter((one) => one.channel_name === channel_name).length, 2)
    }
  })

  t.test('keeps the results of two scenarios separate', async (t) => {
    const admin = await registerAdmin()
    const hr = await apply(admin, { team_size: 3 })
    const own = await apply(admin, { team_size: 4, scenario_type: 'our own exercise' })
    t.not(own._id, hr._id)
    t.not(own.experiment_id, hr.experiment_id)
    t.equal((await charactersOf(admin)).length, 7)
    await apply(admin, { team_size: 3, scenario_type: 'our own exercise' })
    const left = ids(await charactersOf(admin))
    t.strictSame(left, [...hr.character_ids, ...own.character_ids.slice(0, 3)].toSorted())
    const names = new Set((await templatesOf(admin)).map(({ scenario_name }) => scenario_name))
    t.strictSame([...names], ['hr_workforce', 'our own exercise'])
  })

  t.test('keeps the arms, the period and the metadata that people set in a draft', async (t) => {
    const admin = await registerAdmin()
    const { experiment_id } = await apply(admin)
    const filled = {
      control_session_ids: ['s1'],
      intervention_session_ids: ['s2'],
      assignment_ids: ['a1'],
      start_at: '2026-12-01T08:00:00.000Z',
      end_at: '2026-12-02T08:00:00.000Z',
    }
    await updateExperiment(admin, experiment_id, { ...filled, metadata: { reviewer: 'Grace' } })
    const { updated } = await apply(admin, { consequence_model: 'none' })
    t.equal(updated.experiments, 1)
    const { body } = await updateExperiment(admin, experiment_id)
    t.match(body, { ...filled, status: 'draft' })
    t.match(body.metadata, { reviewer: 'Grace', models: { consequence_model: 'none' } })
  })

  t.test('never changes an experiment that has left draft', async (t) => {
    for (const status of ['scheduled', 'running', 'archived', 'our label']) {
      const admin = await registerAdmin()
      const { experiment_id } = await apply(admin)
      const { body: before } = await updateExperiment(admin, experiment_id, {
        status,
        name: 'Ours',
      })
      for (const overwrite_existing of [true, false]) {
        const again = await apply(admin, { org_culture: 'market', overwrite_existing })
        t.equal(again.experiment_id, experiment_id)
        t.match([again.created.experiments, again.updated.experiments], [0, 0])
        const left = { kind: 'experiment', name: 'Ours', reason: 'not_draft' }
        t.strictSame(again.skipped.at(-1), left)
      }
      t.strictSame((await updateExperiment(admin, experiment_id)).body, before, status)
    }
  })
})

async function templatesOfStranger() {
  const stranger = await registerAdmin()
  await apply(stranger, { team_size: 3 })
  return templatesOf(stranger)
}

import type { Transaction } from 'kysely'
import { selectTemplateOrigins, selectTemplatesById } from '../channel-templates/setup-queries.js'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { selectExperimentsById } from '../experiments/setup-queries.js'
import { selectBrandingForUpdate } from '../organizations/branding-queries.js'
import type { Changes, Named } from './changes.js'
import * as queries from './queries.js'
import { type RecordedChanges, undo, undoDepartments } from './undo.js'
import { selectUses } from './use-queries.js'

type Trx = Transaction<Database>

/** The part of a record that says what was done where. */
export interface Application {
  organization_id: string
  scenario_type: string
  applied_at: string
  changes: RecordedChanges
}

const toChange = { toChange: true }

/**
 * What undoes an application, and who uses what it made. All of it is locked, so that nobody can
 * change it in between.
 */
export async function planRollback(
  trx: Trx,
  application: Application,
): Promise<{ changes: Changes; uses: Schema<'SetupUse'>[] }> {
  const { organization_id, scenario_type } = application
  const { setup, departments } = application.changes
  const { now, setup: present } = await queries.selectSetup(trx, organization_id, scenario_type)
  const characters = await undoCharacters(trx, application)
  const templates = await undoTemplates(trx, application)
  const experiments = await undoExperiments(trx, application)
  const branding = await selectBrandingForUpdate(trx, organization_id)
  return {
    changes: {
      setup: { _id: setup._id, name: scenario_type, before: present, after: setup.before },
      characters: characters.changes,
      channel_templates: templates.changes,
      experiments: experiments.changes,
      departments: undoDepartments(departments, branding, now),
    },
    uses: [...characters.uses, ...templates.uses, ...experiments.uses],
  }
}

async function undoCharacters(trx: Trx, application: Application) {
  const { organization_id, applied_at, changes } = application
  const { characters: recorded } = changes
  const stored = await queries.selectCharacters(trx, organization_id, changes.setup._id, toChange)
  const rows = byId(stored)
  const undone = changes.channel_templates.map(({ _id }) => _id)
  const uses = await selectUses(trx, organization_id, [...rows.keys()], undone)
  const usernames = recorded.flatMap(({ before }) => before?.username ?? [])
  const holders = await queries.selectHolders(trx, organization_id, usernames)
  const others = othersAmong(holders, recorded)
  const isTaken = recorded.filter(({ before }) => before?.username && others.has(before.username))
  return undo(recorded, {
    kind: 'character',
    rows,
    taken: new Set(isTaken.map(({ _id }) => _id)),
    reasonsOf: (_id, isEdited, isNew) => {
      const keyed = uses.keys.get(_id)
      const has_api_key = keyed !== undefined && (isNew || keyed > applied_at)
      const speaks = isNew && uses.speakers.has(_id)
      const in_session = isNew && uses.playing.has(_id)
      const found = { has_api_key, speaks, in_session, edited: isEdited }
      return Object.entries(found).flatMap(([reason, isSo]) => (isSo ? [reason] : []))
    },
  })
}

async function undoTemplates(trx: Trx, { organization_id, scenario_type, changes }: Application) {
  const { channel_templates: recorded } = changes
  const ids = recorded.map(({ _id }) => _id)
  const stored = await selectTemplatesById(trx, organization_id, ids, toChange)
  const holders = await selectTemplateOrigins(trx, organization_id, scenario_type)
  const others = othersAmong(holders, recorded)
  const isTaken = recorded.filter(({ name, after }) => !after && name && others.has(name))
  return undo(recorded, {
    kind: 'channel_template',
    rows: byId(stored),
    taken: new Set(isTaken.map(({ _id }) => _id)),
    reasonsOf: (_id, isEdited) => (isEdited ? ['edited'] : []),
  })
}

async function undoExperiments(trx: Trx, { organization_id, changes }: Application) {
  const { experiments: recorded } = changes
  const ids = recorded.map(({ _id }) => _id)
  const stored = byId(await selectExperimentsById(trx, organization_id, ids, toChange))
  const hasLeftDraft = (_id: string) => {
    const experiment = stored.get(_id)
    return experiment?.status !== 'draft' || experiment.has_run
  }
  return undo(recorded, {
    kind: 'experiment',
    rows: stored,
    taken: new Set<string>(),
    reasonsOf: (_id, isEdited) => {
      if (hasLeftDraft(_id)) return ['not_draft']
      return isEdited ? ['edited'] : []
    },
  })
}

/** The rows without what says whose and which they are. */
function byId<Row extends { organization_id: string; _id: string }>(rows: Row[]) {
  return new Map(rows.map(({ organization_id, _id, ...row }) => [_id, row]))
}

/** The names that things have which are not themselves going to change. */
function othersAmong(holders: Named[], recorded: Named[]): Set<string | null> {
  const ours = new Set(recorded.map(({ _id }) => _id))
  return new Set(holders.filter(({ _id }) => !ours.has(_id)).map(({ name }) => name))
}

import {
  selectTemplateOrigins,
  selectTemplatesById,
} from '../../../channel-templates/rows/setup-queries.js'
import type { Schema } from '../../../contract.js'
import type { Trx } from '../../../database/schema.js'
import { selectExperimentsById } from '../../../experiments/setup-queries.js'
import { selectBrandingForUpdate } from '../../../organizations/branding-queries.js'
import * as queries from '../../queries.js'
import type { Changes, Named } from '../changes.js'
import { selectUses } from '../use-queries.js'
import { type RecordedChanges, undo, undoDepartments } from './undo.js'

/** A recorded application: where it was applied, and its changes. */
export interface Application {
  organization_id: string
  scenario_type: string
  applied_at: string
  changes: RecordedChanges
}

const forUpdate = { lock: 'update' } as const

/**
 * The changes that undo an application, and the uses that forbid it. All rows are locked until the
 * transaction ends.
 */
export async function planRollback(
  trx: Trx,
  application: Application,
): Promise<{ changes: Changes; uses: Schema<'SetupUse'>[] }> {
  const { organization_id, scenario_type } = application
  const { setup, departments } = application.changes
  const { now, setup: current } = await queries.selectSetup(trx, organization_id, scenario_type)
  const characters = await undoCharacters(trx, application)
  const templates = await undoTemplates(trx, application)
  const experiments = await undoExperiments(trx, application)
  const branding = await selectBrandingForUpdate(trx, organization_id)
  return {
    changes: {
      setup: { _id: setup._id, name: scenario_type, before: current, after: setup.before },
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
  const stored = await queries.selectCharacters(trx, organization_id, changes.setup._id, forUpdate)
  const rows = byId(stored)
  const uses = await selectUses(trx, organization_id, {
    character_ids: [...rows.keys()],
    ownTemplateIds: changes.channel_templates.map(({ _id }) => _id),
  })
  const usernames = recorded.flatMap(({ before }) => before?.username ?? [])
  const holders = await queries.selectHolders(trx, organization_id, usernames)
  const others = othersAmong(holders, recorded)
  const isTaken = recorded.filter(({ before }) => before?.username && others.has(before.username))
  return undo(recorded, {
    kind: 'character',
    rows,
    taken: new Set(isTaken.map(({ _id }) => _id)),
    reasonsOf: ({ _id, isEdited, isNew }) => {
      const keyTime = uses.keys.get(_id)
      const has_api_key = keyTime !== undefined && (isNew || keyTime > applied_at)
      const speaks = isNew && uses.speakers.has(_id)
      const in_session = isNew && uses.playing.has(_id)
      const reasons = { has_api_key, speaks, in_session, edited: isEdited }
      return Object.entries(reasons).flatMap(([reason, applies]) => (applies ? [reason] : []))
    },
  })
}

async function undoTemplates(trx: Trx, { organization_id, scenario_type, changes }: Application) {
  const { channel_templates: recorded } = changes
  const ids = recorded.map(({ _id }) => _id)
  const stored = await selectTemplatesById(trx, organization_id, ids, forUpdate)
  const holders = await selectTemplateOrigins(trx, organization_id, scenario_type)
  const others = othersAmong(holders, recorded)
  const isTaken = recorded.filter(({ name, after }) => !after && name && others.has(name))
  return undo(recorded, {
    kind: 'channel_template',
    rows: byId(stored),
    taken: new Set(isTaken.map(({ _id }) => _id)),
    reasonsOf: ({ isEdited }) => (isEdited ? ['edited'] : []),
  })
}

async function undoExperiments(trx: Trx, { organization_id, changes }: Application) {
  const { experiments: recorded } = changes
  const ids = recorded.map(({ _id }) => _id)
  const stored = byId(await selectExperimentsById(trx, organization_id, ids, forUpdate))
  const hasLeftDraft = (_id: string) => {
    const experiment = stored.get(_id)
    return experiment?.status !== 'draft' || experiment.has_run
  }
  return undo(recorded, {
    kind: 'experiment',
    rows: stored,
    taken: new Set<string>(),
    reasonsOf: ({ _id, isEdited }) => {
      if (hasLeftDraft(_id)) return ['not_draft']
      return isEdited ? ['edited'] : []
    },
  })
}

/** The rows by `_id`, without their keys. */
function byId<Row extends { organization_id: string; _id: string }>(rows: Row[]) {
  return new Map(rows.map(({ organization_id, _id, ...row }) => [_id, row]))
}

/** The names of the rows that are not in the record. */
function othersAmong(holders: Named[], recorded: Named[]): Set<string | null> {
  const recordedIds = new Set(recorded.map(({ _id }) => _id))
  return new Set(holders.filter(({ _id }) => !recordedIds.has(_id)).map(({ name }) => name))
}

import type { AuditEvent } from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import type { Models } from './catalogue/entries.js'
import type { Outcome, Setup } from './reconcile.js'

type Changes = NonNullable<AuditEvent['changes']>

interface Made {
  characters: Outcome
  channel_templates: Outcome
  experiments: Outcome & { experiment_id: string; changes: Changes }
  departments: Outcome & { changes: Changes }
}

/** What an application did, kind by kind, as its answer and its audit event tell it. */
export function countsOf({ characters, channel_templates, experiments, departments }: Made) {
  const count = (what: 'created' | 'updated' | 'removed'): Schema<'QuickSetupCounts'> => ({
    characters: characters[what],
    channel_templates: channel_templates[what],
    experiments: experiments[what],
    departments: departments[what],
  })
  return {
    created: count('created'),
    updated: count('updated'),
    removed: count('removed'),
    skipped: [...characters.skipped, ...channel_templates.skipped, ...experiments.skipped],
  }
}

/** The audit events of an application: the act itself, and one for each kind that it changed. */
export function setupEvents(
  setup: Setup & { models: Models; team_size: number },
  made: Made,
): AuditEvent[] {
  const { _id: setup_id, organization_id, overwrite_existing, ...bundle } = setup
  const { created, updated, removed } = countsOf(made)
  const applied = { setup_id, ...bundle, overwrite_existing, created, updated, removed }
  const { characters, channel_templates, experiments, departments } = made
  const { experiment_id } = experiments
  const event = (category: string, event_type: string, metadata: object, changes?: Changes) => ({
    organization_id,
    category,
    event_type,
    metadata: { setup_id, ...metadata },
    ...(changes && { changes }),
  })
  return [
    event('blueprint', 'quick_setup_applied', applied),
    ...(touched(characters) ? [event('user', 'characters_changed', counted(characters))] : []),
    ...(touched(channel_templates)
      ? [event('channel_template', 'channel_templates_changed', counted(channel_templates))]
      : []),
    ...(experiments.created > 0
      ? [event('experiment', 'experiment_created', { experiment_id })]
      : []),
    ...(hasAny(experiments.changes)
      ? [event('experiment', 'experiment_updated', { experiment_id }, experiments.changes)]
      : []),
    ...(hasAny(departments.changes)
      ? [event('organization', 'branding_updated', {}, departments.changes)]
      : []),
  ]
}

const counted = ({ created, updated, removed }: Outcome) => ({ created, updated, removed })
const touched = ({ created, updated, removed }: Outcome) => created + updated + removed > 0
const hasAny = (changes: Changes) => Object.keys(changes).length > 0

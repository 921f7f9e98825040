import * as templateQueries from '../../channel-templates/rows/setup-queries.js'
import { deleteExperiment } from '../../experiments/queries.js'
import * as experimentQueries from '../../experiments/setup-queries.js'
import type { AccessTransaction } from '../../identity/access-changes.js'
import { updateDepartments } from '../../organizations/branding-queries.js'
import type { DefaultLimits } from '../../usage/default-limits.js'
import { requireWithinLimit, withinTemplateLimits } from '../../usage/require-limits.js'
import { deleteUsers } from '../../users/queries.js'
import * as userQueries from '../../users/setup-queries.js'
import * as queries from '../queries.js'
import {
  type Change,
  type Changes,
  type CharacterChange,
  type Creation,
  type ExperimentChange,
  hasEffect,
  type Named,
  type Removal,
  type Replacement,
  type TemplateChange,
} from './changes.js'

/** Writes the changes of an application or of a rollback. */
export async function writeChanges(
  trx: AccessTransaction,
  defaults: DefaultLimits,
  organization_id: string,
  changes: Changes,
): Promise<void> {
  const { setup } = changes
  // The other rows refer to the setup, so it is written first and deleted last.
  if (setup.after) {
    await queries.upsertSetup(trx, { ...setup.after, organization_id, _id: setup._id })
  }
  await writeCharacters(trx, defaults, organization_id, changes.characters.filter(hasEffect))
  const { name: scenario_type } = setup
  const templates = changes.channel_templates.filter(hasEffect)
  await writeTemplates(trx, defaults, organization_id, {
    scenario_type: scenario_type ?? '',
    templates,
  })
  await writeExperiments(trx, defaults, organization_id, changes.experiments.filter(hasEffect))
  for (const { after } of changes.departments) {
    await updateDepartments(trx, organization_id, after)
  }
  if (!setup.after) await queries.deleteSetup(trx, organization_id, setup._id)
}

/** Deletes first, so that the deleted names are free for the new rows. */
async function writeCharacters(
  trx: AccessTransaction,
  defaults: DefaultLimits,
  organization_id: string,
  changes: CharacterChange[],
) {
  await requireWithinLimit(trx, defaults, organization_id, 'people', growthOf(changes))
  await deleteUsers(trx, organization_id, idsOf(removals(changes)))
  await userQueries.updateProfiles(trx, organization_id, rowsAfter(replacements(changes)))
  const newRows = rowsAfter(creations(changes))
  const users = newRows.map(({ setup_id, character_key, ...user }) => user)
  await userQueries.insertUsersAsTheyAre(trx, organization_id, users)
  const characters = newRows.map(({ _id: user_id, setup_id, character_key }) => {
    return { organization_id, user_id, setup_id, character_key }
  })
  await queries.insertCharacters(trx, characters)
}

async function writeTemplates(
  trx: AccessTransaction,
  defaults: DefaultLimits,
  organization_id: string,
  { scenario_type, templates: changes }: { scenario_type: string; templates: TemplateChange[] },
) {
  const newRows = rowsAfter(creations(changes))
  const scenarios = [scenario_type, ...newRows.map(({ scenario_name }) => scenario_name)]
  await withinTemplateLimits(trx, defaults, organization_id, scenarios, async () => {
    await templateQueries.deleteTemplates(trx, organization_id, idsOf(removals(changes)))
    await templateQueries.updateMessages(trx, organization_id, rowsAfter(replacements(changes)))
    await templateQueries.insertTemplates(trx, organization_id, newRows)
  })
}

async function writeExperiments(
  trx: AccessTransaction,
  defaults: DefaultLimits,
  organization_id: string,
  changes: ExperimentChange[],
) {
  await requireWithinLimit(trx, defaults, organization_id, 'experiments', growthOf(changes))
  for (const { _id } of removals(changes)) {
    await deleteExperiment(trx, { organization_id, _id })
  }
  for (const draft of rowsAfter(replacements(changes))) {
    await experimentQueries.updateDraft(trx, organization_id, draft)
  }
  for (const draft of rowsAfter(creations(changes))) {
    await experimentQueries.insertDraft(trx, organization_id, draft)
  }
}

/** How many rows the table gains. */
const growthOf = <Row extends Written, Written>(changes: Change<Row, Written>[]) =>
  creations(changes).length - removals(changes).length

const creations = <Row extends Written, Written>(changes: Change<Row, Written>[]) =>
  changes.filter((change): change is Creation<Row> => change.before === null)
const replacements = <Row extends Written, Written>(changes: Change<Row, Written>[]) =>
  changes.filter(
    (change): change is Replacement<Written> => change.before !== null && change.after !== null,
  )
const removals = <Row extends Written, Written>(changes: Change<Row, Written>[]) =>
  changes.filter((change): change is Removal<Row> => change.after === null)

const idsOf = (changes: Named[]) => changes.map(({ _id }) => _id)
const rowsAfter = <Row>(changes: { _id: string; after: Row }[]) =>
  changes.map(({ _id, after }) => ({ ...after, _id }))

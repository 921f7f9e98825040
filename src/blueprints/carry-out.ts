import * as templateQueries from '../channel-templates/setup-queries.js'
import * as experimentQueries from '../experiments/setup-queries.js'
import type { AccessTransaction } from '../identity/access-changes.js'
import { updateDepartments } from '../organizations/branding-queries.js'
import { requireRoom, withinTemplateLimits } from '../usage/room.js'
import { deleteUsers } from '../users/queries.js'
import * as userQueries from '../users/setup-queries.js'
import {
  type Change,
  type Changes,
  type CharacterChange,
  type Creation,
  type ExperimentChange,
  isReal,
  type Named,
  type Removal,
  type Replacement,
  type TemplateChange,
} from './changes.js'
import * as queries from './queries.js'

/** Does what the changes say, whether they were planned or undo what was. */
export async function carryOut(
  trx: AccessTransaction,
  organization_id: string,
  changes: Changes,
): Promise<void> {
  const { setup } = changes
  // All the rest refers to the setup: it comes first and goes last.
  if (setup.after) {
    await queries.upsertSetup(trx, { ...setup.after, organization_id, _id: setup._id })
  }
  await writeCharacters(trx, organization_id, changes.characters.filter(isReal))
  const { name: scenario_type } = setup
  const templates = changes.channel_templates.filter(isReal)
  await writeTemplates(trx, organization_id, scenario_type ?? '', templates)
  await writeExperiments(trx, organization_id, changes.experiments.filter(isReal))
  for (const { after } of changes.departments) {
    await updateDepartments(trx, organization_id, after)
  }
  if (!setup.after) await queries.deleteSetup(trx, organization_id, setup._id)
}

/** What is taken away goes first, so that its names are free. */
async function writeCharacters(
  trx: AccessTransaction,
  organization_id: string,
  changes: CharacterChange[],
) {
  await requireRoom(trx, organization_id, 'people', growthOf(changes))
  await deleteUsers(trx, organization_id, idsOf(removals(changes)))
  await userQueries.updateProfiles(trx, organization_id, written(replacements(changes)))
  const made = written(creations(changes))
  const users = made.map(({ setup_id, character_key, ...user }) => user)
  await userQueries.insertUsersAsTheyAre(trx, organization_id, users)
  const characters = made.map(({ _id: user_id, setup_id, character_key }) => {
    return { organization_id, user_id, setup_id, character_key }
  })
  await queries.insertCharacters(trx, characters)
}

async function writeTemplates(
  trx: AccessTransaction,
  organization_id: string,
  scenario_type: string,
  changes: TemplateChange[],
) {
  const made = written(creations(changes))
  const scenarios = [scenario_type, ...made.map(({ scenario_name }) => scenario_name)]
  await withinTemplateLimits(trx, organization_id, scenarios, async () => {
    await templateQueries.deleteTemplates(trx, organization_id, idsOf(removals(changes)))
    await templateQueries.updateMessages(trx, organization_id, written(replacements(changes)))
    await templateQueries.insertTemplates(trx, organization_id, made)
  })
}

async function writeExperiments(
  trx: AccessTransaction,
  organization_id: string,
  changes: ExperimentChange[],
) {
  await requireRoom(trx, organization_id, 'experiments', growthOf(changes))
  for (const { _id } of removals(changes)) {
    await experimentQueries.deleteDraft(trx, organization_id, _id)
  }
  for (const draft of written(replacements(changes))) {
    await experimentQueries.updateDraft(trx, organization_id, draft)
  }
  for (const draft of written(creations(changes))) {
    await experimentQueries.insertDraft(trx, organization_id, draft)
  }
}

/** How many more rows there are afterwards. */
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
const written = <Row>(changes: { _id: string; after: Row }[]) =>
  changes.map(({ _id, after }) => ({ ...after, _id }))

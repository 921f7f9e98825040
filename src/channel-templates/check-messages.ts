import type { Db, Trx } from '../database/schema.js'
import { type Fault, throwFaults } from '../faults.js'
import { scenarioWarnings } from './branches/read-scenario.js'
import { faultsIn, firstOf, type MessagesLoc, warningsIn } from './linting/lint.js'
import { completeMessages, type Message, sendersOf } from './messages.js'
import type { NewTemplate, StoredTemplate } from './queries.js'
import { selectSenders } from './rows/sender-queries.js'

const bodyLoc: MessagesLoc = {
  loc: ['body', 'message_templates'],
  senderField: 'sender_character_id',
}

/**
 * Returns the warnings of new messages, without those about the scenario. Throws 422 with their
 * faults.
 */
export async function checkMessages(
  trx: Trx,
  organization_id: string,
  messages: Message[],
): Promise<Fault[]> {
  const ids = sendersOf(messages)
  const senders = await selectSenders(trx, organization_id, ids, { lock: 'key share' })
  const faults = firstOf(faultsIn(messages, senders, bodyLoc))
  throwFaults(faults)
  return firstOf(warningsIn(messages, bodyLoc))
}

/** Adds the warnings about the decisions of the scenario. */
export async function withScenarioWarnings(
  db: Db,
  template: NewTemplate,
  warnings: Fault[],
): Promise<Fault[]> {
  return firstOf([...warnings, ...(await scenarioWarnings(db, template))])
}

/**
 * Returns the warnings of stored messages. Their faults are warnings too: a request that does not
 * change the messages must not fail because of them.
 */
export async function warningsOfStored(db: Db, template: StoredTemplate): Promise<Fault[]> {
  const { organization_id, message_templates } = template
  const messages = completeMessages(message_templates)
  const senders = await selectSenders(db, organization_id, sendersOf(messages))
  const faults = firstOf(faultsIn(messages, senders, bodyLoc))
  const warnings = [...faults, ...firstOf(warningsIn(messages, bodyLoc))]
  return withScenarioWarnings(db, template, warnings)
}

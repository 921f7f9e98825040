import type { Kysely, Transaction } from 'kysely'
import type { Database } from '../database/schema.js'
import { type Fault, throwFaults } from '../errors.js'
import { faultsIn, firstOf, type Place, warningsIn } from './lint.js'
import { completeMessages, type Message, sendersOf } from './messages.js'
import type { StoredTemplate } from './queries.js'
import { selectSenders } from './sender-queries.js'

const place: Place = { loc: ['body', 'message_templates'], senderField: 'sender_character_id' }

/** What is doubtful about messages. Throws 422 with all their faults. */
export async function checkMessages(
  trx: Transaction<Database>,
  organization_id: string,
  messages: Message[],
): Promise<Fault[]> {
  const ids = sendersOf(messages)
  const senders = await selectSenders(trx, organization_id, ids, { lock: true })
  const faults = firstOf(faultsIn(messages, senders, place))
  throwFaults(faults)
  return firstOf(warningsIn(messages, place))
}

/**
 * What is doubtful about messages that are stored already, faults as well: what has become wrong
 * with them is no fault of a request that leaves them as they are.
 */
export async function warningsOfStored(
  db: Kysely<Database>,
  { organization_id, message_templates }: StoredTemplate,
): Promise<Fault[]> {
  const messages = completeMessages(message_templates)
  const senders = await selectSenders(db, organization_id, sendersOf(messages))
  const faults = firstOf(faultsIn(messages, senders, place))
  return [...faults, ...firstOf(warningsIn(messages, place))]
}

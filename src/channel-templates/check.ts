import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.js'
import { type Fault, validationFailed } from '../errors.js'
import { doubtsIn, faultsIn, firstOf, type Place } from './lint.js'
import { type Message, sendersOf } from './messages.js'
import { selectSenders } from './sender-queries.js'

const place: Place = { loc: ['body', 'message_templates'], senderField: 'sender_character_id' }

/**
 * What is doubtful about messages. Throws 422 with all their faults, unless they are stored already:
 * then it is no fault of the request that something has become wrong with them.
 */
export async function checkMessages(
  db: Kysely<Database>,
  organization_id: string,
  messages: Message[],
  { areStored = false } = {},
): Promise<Fault[]> {
  const senders = await selectSenders(db, organization_id, sendersOf(messages))
  const faults = firstOf(faultsIn(messages, senders, place))
  if (faults.length > 0 && !areStored) throw validationFailed(faults)
  return [...faults, ...firstOf(doubtsIn(messages, place))]
}

import { sql } from 'kysely'
import { shownColumns } from '../../queries.js'

/** How many bytes of messages a page has at most. A longer message is a page of its own. */
export const pageBytes = 32_768

/** The approximate size of an event without its texts. */
const bytesOfFields = 700

/** The approximate size of a message as an event. */
export const bytesOfMessage = sql<number>`${sql.lit(bytesOfFields)}
  + octet_length(message.content) + coalesce(octet_length(message.expectation::text), 0)
  + coalesce(octet_length(message.artefact::text), 0)
  + 2 * coalesce(octet_length(message.decides::text), 0)`

/** What a reader gets of a message. */
export const messageColumns = sql.join(shownColumns.map((name) => sql.ref(`message.${name}`)))

import { sql } from 'kysely'
import type { Schema } from '../../../contract.js'
import { type ParametersOf, prepare } from '../../../database/statements.js'
import type { OfSession } from '../../../simulation-sessions/queries.js'
import { joinSender, wordColumns } from '../../../trainer-messages/queries.js'
import { pageBytes } from './message-pages.js'
import { maxRecentBytes, maxRecentMessages } from './queries.js'

/** How many sessions one statement reads at most. */
export const wordsBatchSize = 50

/** Private words, with the user whose place they belong to. */
export type PrivateWord = Schema<'TrainerMessage'> & { user_id: string }

/** One word of a session, or a row without one. `last` is the number of the session's last word. */
export type WordRow = { of: string; last: number } & (PrivateWord | { seq: null })

interface Sessions {
  organization_ids: string[]
  ids: string[]
  /** The last words that this process knows. */
  known: number[]
}

/** The approximate size of an event without its text. */
const bytesOfFields = 500
const bytesOfWord = sql<number>`${sql.lit(bytesOfFields)} + octet_length(message.content)`

/** Returns the new private words of some sessions. If there are too many, only the latest. */
export const selectNewWords = prepare(
  'select_new_private_words',
  (_db, { organization_ids, ids, known }: ParametersOf<Sessions>) => sql<WordRow>`
    select * from (
      select session._id as of, session.trainer_seq as last, ${wordColumns}, place.user_id,
        ${bytesOfWord} as own_bytes,
        sum(${bytesOfWord}) over (
          partition by session.organization_id, session._id order by message.seq desc
        ) as all_bytes
      from unnest(${organization_ids}::uuid[], ${ids}::uuid[], ${known}::bigint[])
        as known (organization_id, _id, seq)
      join simulation_sessions as session
        on session.organization_id = known.organization_id and session._id = known._id
      left join trainer_messages as message
        on message.organization_id = session.organization_id and message.session_id = session._id
        and message.seq > greatest(known.seq, session.trainer_seq - ${sql.lit(maxRecentMessages)})
      left join session_assignments as place
        on place.organization_id = message.organization_id and place._id = message.assignment_id
      ${joinSender}
    ) as words
    where seq is null or all_bytes <= ${sql.lit(maxRecentBytes)} or all_bytes = own_bytes
    order by of, seq`,
)

interface WordPage extends OfSession {
  after: number
  /** Only the words of this user; null for all. */
  user_id: string | null
}

/** Returns the private words after `after` that fit into a page, at least one. */
export const selectWordPage = prepare(
  'select_private_word_page',
  (
    _db,
    { organization_id, session_id, after, user_id }: ParametersOf<WordPage>,
  ) => sql<PrivateWord>`
    select * from (
      select ${wordColumns}, place.user_id, ${bytesOfWord} as own_bytes,
        sum(${bytesOfWord}) over (order by message.seq) as all_bytes
      from trainer_messages as message
      join session_assignments as place
        on place.organization_id = message.organization_id and place._id = message.assignment_id
        ${user_id === null ? sql`` : sql`and place.user_id = ${user_id}`}
      ${joinSender}
      where message.organization_id = ${organization_id} and message.session_id = ${session_id}
        and message.seq > ${after}
      order by message.seq limit ${sql.lit(maxRecentMessages)}
    ) as words
    where all_bytes <= ${sql.lit(pageBytes)} or all_bytes = own_bytes
    order by seq`,
)

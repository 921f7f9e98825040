import type { Insertable, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Schema } from '../contract.js'
import { longestPage } from '../database/lists/lists.js'
import type { Database, Db, Trx } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import type { OfSession } from '../simulation-sessions/queries.js'

export type TrainerMessage = Schema<'TrainerMessage'>

/** The contract's fields of a message that is joined to its sender. */
export const wordColumns = sql`message._id, message.seq, message.session_id,
  message.assignment_id, message.sender_id, sender.full_name as sender_name, message.from_trainer,
  message.to_all, message.client_message_id, message.content, message.elapsed_ms, message.created_at`

/** Joins a message to its sender. */
export const joinSender = sql`left join users as sender
  on sender.organization_id = message.organization_id and sender._id = message.sender_id`

interface Filters extends OfSession {
  after: number
  limit: number
  /** Only the words with the participant of this place; null for all places. */
  assignment_id: string | null
}

/** The next private words of a session: `limit` of them, or as many as fill a page and one more. */
export const selectTrainerMessages = prepare(
  'select_trainer_messages',
  (
    _db,
    { organization_id, session_id, after, limit, assignment_id }: ParametersOf<Filters>,
  ) => sql<TrainerMessage>`
    select next._id, seq, session_id, assignment_id, sender_id, sender_name, from_trainer,
      to_all, client_message_id, content, elapsed_ms, created_at
    from (
      select ${wordColumns},
        sum(length(message.content)) over (order by message.seq) - length(message.content)
          as characters_before
      from trainer_messages as message ${joinSender}
      where message.organization_id = ${organization_id} and message.session_id = ${session_id}
        and message.seq > ${after}
        ${assignment_id === null ? sql`` : sql`and message.assignment_id = ${assignment_id}`}
      order by message.seq limit ${limit}
    ) as next
    where characters_before <= ${sql.lit(longestPage)}
    order by seq`,
)

/** The message with this number. */
export async function selectBySeq(
  trx: Trx,
  key: OfSession,
  seq: number,
): Promise<TrainerMessage | undefined> {
  return selectOne(trx, key, sql<boolean>`message.seq = ${seq}`)
}

/** The message that a sender has sent under a `client_message_id`. */
export async function selectByClientId(
  trx: Trx,
  key: OfSession,
  { sender_id, client_message_id }: { sender_id: string; client_message_id: string },
): Promise<TrainerMessage | undefined> {
  const isSent = sql<boolean>`message.sender_id = ${sender_id}
    and message.client_message_id = ${client_message_id}`
  return selectOne(trx, key, isSent)
}

async function selectOne(
  trx: Trx,
  { organization_id, session_id }: OfSession,
  condition: RawBuilder<boolean>,
): Promise<TrainerMessage | undefined> {
  const { rows } = await sql<TrainerMessage>`
    select ${wordColumns} from trainer_messages as message ${joinSender}
    where message.organization_id = ${organization_id} and message.session_id = ${session_id}
      and ${condition}`.execute(trx)
  return rows[0]
}

export async function insertTrainerMessage(
  trx: Trx,
  message: Insertable<Database['trainer_messages']>,
): Promise<void> {
  await trx.insertInto('trainer_messages').values(message).execute()
}

/** Counts the private words of a session. Those of participants who were deleted are gone. */
export async function countTrainerMessages(
  db: Db,
  { organization_id, session_id }: OfSession,
): Promise<number> {
  const { count } = await db
    .selectFrom('trainer_messages')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .executeTakeFirstOrThrow()
  return count
}

/** Counts the private words that a participant has sent to the trainers. */
export async function countAsked(
  db: Db,
  { organization_id, assignment_id }: { organization_id: string; assignment_id: string },
): Promise<number> {
  const { count } = await db
    .selectFrom('trainer_messages')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organization_id)
    .where('assignment_id', '=', assignment_id)
    .where('from_trainer', '=', false)
    .executeTakeFirstOrThrow()
  return count
}

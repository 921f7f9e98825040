import type { Kysely } from 'kysely'
import type { Schema } from '../../src/contract.js'
import type { Database } from '../../src/database/schema.js'
import { createId } from '../../src/formats/identifiers.js'
import { rowsOf } from './walk.js'

/** Adds a user who can send messages of a template: a bot by default. */
export async function addCharacter(
  db: Kysely<Database>,
  organization_id: string,
  fields: { username?: string; full_name?: string; is_active?: boolean; is_bot?: boolean } = {},
): Promise<string> {
  const _id = createId()
  const { is_bot = true, username = `c-${_id.slice(-12)}`, ...others } = fields
  const email = `${username}.${_id}@characters.invalid`
  await db
    .insertInto('users')
    .values({
      organization_id,
      _id,
      username,
      email,
      is_bot,
      role: is_bot ? 'bot' : 'hr',
      ...others,
    })
    .execute()
  return _id
}

type Message = Schema<'NewMessageTemplate'>
type Reply = Schema<'NewThreadReply'>

export function replyOf(sender_character_id: string, fields: Partial<Reply> = {}): Reply {
  const content = 'In my drawer, eleven of twelve.'
  return { sender_character_id, content, offset_minutes: 12, metadata: {}, ...fields }
}

export function messageOf(sender_character_id: string, fields: Partial<Message> = {}): Message {
  const content = 'Who has the badges?'
  const others = { offset_hours: 0, metadata: {}, thread_replies: [] }
  return { sender_character_id, content, ...others, ...fields }
}

export const optionsOf = (...keys: string[]) =>
  keys.map((option) => ({ option, label: `We choose ${option}`, cost: 'a day' }))

/** The metadata of a message that asks for a decision, by default yes or no. It lapses to no. */
export function ask(
  beat: string,
  metadata: object = {},
  options = ['yes', 'no'],
): Record<string, unknown> {
  const fallback_option = 'no'
  const decision = { question: 'Do we start?', options: optionsOf(...options), fallback_option }
  return { beat, ...metadata, expectation: { deadline_minutes: 10, decision } }
}

/** Pseudorandom numbers, the same each time for a seed (mulberry32). */
export function numbersFrom(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (most: number) => Math.floor(next() * most)
  const one = <T>(items: readonly T[]): T => items[below(items.length)] as T
  return { below, one }
}

/** Every row of an organization, except what the service writes outside of requests. */
export async function rowsWritten(db: Kysely<Database>, organization_id: string) {
  const rows = await rowsOf(db, organization_id)
  return rows
    .filter((row) => !/^(audit_seals|unsealed_events) /.test(row))
    .map((row) => row.replace(/"last_seen":("[^"]*"|null)/, ''))
}

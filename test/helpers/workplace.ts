import type { Insertable } from 'kysely'
import type { Schema } from '../../src/contract.js'
import type { Database } from '../../src/database/schema.js'
import { createId } from '../../src/formats/identifiers.js'
import type { Member, startService } from './service.js'

type Service = Awaited<ReturnType<typeof startService>>

type Message = Partial<Insertable<Database['session_messages']>>

/** A message posted by a participant. */
export const by = ({ user_id }: Member, content: string, more: Message = {}): Message => ({
  sender_id: user_id,
  sender_kind: 'participant',
  author_id: user_id,
  content,
  ...more,
})

/** An organization with the quick setup hr_workforce, and people who can take part. */
export async function openWorkplace({ call, db, registerAdmin, addMember }: Service) {
  const admin = await registerAdmin()
  const { organization_id } = admin
  const body = { scenario_type: 'hr_workforce' }
  const { body: setup } = await call('applyQuickSetup', { token: admin.token, body })
  const cast_ids: string[] = setup.character_ids
  const hr = await addMember(organization_id, 'hr')
  const rater = await addMember(organization_id, 'executive')
  const ben = await addMember(organization_id, 'employee')
  const cleo = await addMember(organization_id, 'employee')

  /** A session of the organization. It is a draft unless `steps` are given. */
  async function session(
    fields: Partial<Schema<'SessionCreation'>> = {},
    ...steps: ('startSession' | 'pauseSession' | 'endSession')[]
  ): Promise<string> {
    const given = { name: 'Tuesday', scenario_name: 'hr_workforce', ...fields }
    const { body } = await call('createSession', { token: admin.token, body: given })
    const params = { session_id: body._id }
    for (const step of steps) await call(step, { token: admin.token, params })
    return body._id
  }

  /** Joins a session, with consent. */
  const join = ({ token }: Member, session_id: string) =>
    call('joinSession', { token, params: { session_id }, body: { consent: true } })

  /** An unscripted session with these messages, from a character unless they name a sender. */
  async function sessionWith(given: Message[]): Promise<string> {
    const handler = { user_id: ben.user_id, role_key: 'case_handler' }
    const participants = [handler, { user_id: cleo.user_id }]
    const fields = { mode: 'external' as const, participants, rater_ids: [rater.user_id] }
    const session_id = await session(fields, 'startSession')
    await join(ben, session_id)
    const { body } = await call('getSession', { token: admin.token, params: { session_id } })
    const [{ conversation_id, channel_id }] = body.conversations
    const place = { organization_id, session_id, conversation_id, channel_id }
    const sender = { sender_id: cast_ids[0] ?? '', sender_kind: 'character' as const }
    const messages = given.map((message, i) => {
      const own = { seq: i + 1, _id: createId(), content: `No. ${i}`, offset_ms: i * 1000 }
      return { ...place, ...sender, ...own, ...message }
    })
    if (messages.length > 0) await db.insertInto('session_messages').values(messages).execute()
    await db
      .updateTable('simulation_sessions')
      .set({ last_seq: messages.length })
      .where('organization_id', '=', organization_id)
      .where('_id', '=', session_id)
      .execute()
    return session_id
  }

  return { sessionWith, admin, organization_id, hr, rater, ben, cleo, cast_ids, session, join }
}

import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import type { Member, startService } from './service.js'
import { sessionsOf } from './sessions.js'

type Service = Pick<
  Awaited<ReturnType<typeof startService>>,
  'call' | 'db' | 'registerAdmin' | 'addMember'
>
type Body = Partial<Schema<'SessionCreation'>>
type NewMessage = Schema<'NewSessionMessage'>

/** A session with two conversations, and the parameters for calls. */
export interface Play {
  _id: string
  home: string
  away: string
  params: { session_id: string }
}

/** An organization in which people, a bot and a trainer can talk in sessions. */
export async function openStage(service: Service) {
  const { call, db, registerAdmin, addMember } = service
  const { addScenario, create, change } = sessionsOf(service)
  const admin = await registerAdmin()
  const { organization_id } = admin
  const bot = await addMember(organization_id, 'bot')
  const ben = await addMember(organization_id, 'employee')
  const cleo = await addMember(organization_id, 'employee')
  const prepared = [{ sender_character_id: bot.user_id, metadata: { drill_minute: 600 } }]
  const home = await addScenario(admin, prepared)
  const { scenario_name } = home
  await addScenario(admin, prepared, { channel_name: 'away', scenario_name })

  async function draft(body: Body = {}) {
    const participants = [ben, cleo].map(({ user_id }) => ({ user_id }))
    return create(admin, { scenario_name, mode: 'external', participants, ...body })
  }

  /** Marks a participant as joined, and perhaps as left. */
  async function join(session_id: string, { user_id }: Member, left_at: string | null = null) {
    await db
      .updateTable('session_assignments')
      .set({ joined_at: new Date().toISOString(), left_at })
      .where('session_id', '=', session_id)
      .where('user_id', '=', user_id)
      .execute()
  }

  /** A running session with two conversations, in which Ben and Cleo have joined. */
  async function play(body: Body = {}): Promise<Play> {
    const { _id } = await draft(body)
    await join(_id, ben)
    await join(_id, cleo)
    const { conversations } = await change('startSession', admin, { _id })
    const [home = '', away = ''] = conversations
      .toSorted((a, b) => b.channel_name.localeCompare(a.channel_name))
      .map(({ conversation_id }) => conversation_id)
    return { _id, home, away, params: { session_id: _id } }
  }

  let posted = 0
  async function post({ token }: Member, { params, home }: Play, fields: Partial<NewMessage> = {}) {
    posted++
    const body = {
      conversation_id: home,
      content: `No. ${posted}`,
      client_message_id: `c-${posted}`,
    }
    return call('postSessionMessage', { token, params, body: { ...body, ...fields } })
  }

  async function list({ token }: Member, { params }: Play, query: Record<string, string> = {}) {
    const { body } = await call('listSessionMessages', { token, params, query })
    return body as Schema<'SessionMessage'>[]
  }

  /** Adds messages as the service posts due ones. `change` sets other fields of the session. */
  async function addMessages({ _id, home }: Play, count: number, content: string, change = {}) {
    const sender = { sender_id: bot.user_id, sender_kind: 'character', content } as const
    const place = { organization_id, session_id: _id, conversation_id: home, channel_id: home }
    await db.transaction().execute(async (trx) => {
      const { last_seq } = await trx
        .updateTable('simulation_sessions')
        .set((eb) => ({ ...change, last_seq: eb('last_seq', '+', count) }))
        .where('organization_id', '=', organization_id)
        .where('_id', '=', _id)
        .returning('last_seq')
        .executeTakeFirstOrThrow()
      const rows = Array.from({ length: count }, (_, i) => {
        const seq = last_seq - count + i + 1
        return { ...place, ...sender, _id: createId(), seq, plan_position: seq, offset_ms: 0 }
      })
      await trx.insertInto('session_messages').values(rows).execute()
    })
  }

  return {
    admin,
    organization_id,
    bot,
    ben,
    cleo,
    draft,
    join,
    play,
    post,
    list,
    change,
    addMessages,
  }
}

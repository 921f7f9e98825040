import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../src/contract.js'
import type { Database } from '../../src/database/schema.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { replyOf } from '../helpers/templates.js'

// This file renames a column for a while, so it needs its own database.
const service = await startService(t, {}, { isAlone: true })
const { call, db, registerAdmin, addMember } = service
const { addScenario, create, change } = sessionsOf(service)

/** Runs while every statement that names the messages of templates fails. */
async function whileUnreadable(db: Kysely<Database>, run: () => Promise<void>): Promise<void> {
  await sql`alter table channel_templates rename column message_templates to hidden`.execute(db)
  try {
    await run()
  } finally {
    await sql`alter table channel_templates rename column hidden to message_templates`.execute(db)
  }
}

const sendersOf = async (channel_id: string) => {
  const { sender_ids } = await db
    .selectFrom('channel_templates')
    .select('sender_ids')
    .where('_id', '=', channel_id)
    .executeTakeFirstOrThrow()
  return Object.keys(sender_ids).sort()
}

t.test('The senders of a template', async (t) => {
  const admin = await registerAdmin()
  const bots = await Promise.all([1, 2, 3].map(() => addMember(admin.organization_id, 'bot')))
  const [one = '', two = '', three = ''] = bots.map(({ user_id }) => user_id)

  t.test('are stored once each, including replies and without ids in metadata', async (t) => {
    const lines = Array.from({ length: 300 }, () => ({
      sender_character_id: one,
      thread_replies: [replyOf(two), replyOf(one)],
      metadata: { sender_character_id: three },
    }))
    t.strictSame(await sendersOf((await addScenario(admin, lines)).channel_id), [one, two].sort())
    t.strictSame(await sendersOf((await addScenario(admin, [])).channel_id), [])
  })

  t.test('follow each change of the messages', async (t) => {
    const { channel_id: template_id } = await addScenario(admin, [{ sender_character_id: one }])
    const message = { sender_character_id: three, content: 'Here.', offset_hours: 0 }
    const body = { message_templates: [message] }
    const { token } = admin
    await call('updateChannelTemplate', { token, params: { template_id }, body })
    t.strictSame(await sendersOf(template_id), [three])
  })
})

t.test('The cast is known before the start without reading the messages', async (t) => {
  const admin = await registerAdmin()
  const { token, organization_id } = admin
  const [bot, replier, silent] = [
    await addMember(organization_id, 'bot'),
    await addMember(organization_id, 'bot'),
    await addMember(organization_id, 'bot'),
  ]
  const ben = await addMember(organization_id, 'employee')
  const prepared = [
    { sender_character_id: bot.user_id, thread_replies: [replyOf(replier.user_id)] },
  ]
  const { scenario_name } = await addScenario(admin, prepared)
  const retired = await addScenario(admin, [{ sender_character_id: silent.user_id }], {
    scenario_name,
    channel_name: 'away',
  })
  const templates = db.updateTable('channel_templates').where('_id', '=', retired.channel_id)
  await templates.set({ is_active: false }).execute()
  const participants = [{ user_id: ben.user_id }]
  let session: Pick<Schema<'SimulationSession'>, '_id'> = { _id: '' }

  const listed = async (as: Member) =>
    (await call('listSessions', { token: as.token })).body.map(({ _id }: typeof session) => _id)
  const statusFor = async (as: Member) => {
    const params = { session_id: session._id }
    return (await call('getSession', { token: as.token, params })).status
  }

  async function checkCast() {
    const params = { session_id: session._id }
    const { body } = await call('getBriefing', { token: ben.token, params })
    t.strictSame(
      body.cast.map(({ character_id }: { character_id: string }) => character_id).sort(),
      [bot.user_id, replier.user_id].sort(),
    )
    for (const one of [bot, replier]) {
      t.strictSame(await listed(one), [session._id])
      t.equal(await statusFor(one), 200)
    }
    t.strictSame(await listed(silent), [])
    t.equal(await statusFor(silent), 404)
  }

  await whileUnreadable(db, async () => {
    session = await create(admin, { scenario_name, participants })
    const params = { session_id: session._id }
    const set = await call('setParticipants', { token, params, body: { participants } })
    t.equal(set.status, 200)
    t.match(await call('joinSession', { token: ben.token, params, body: { consent: true } }), {
      status: 200,
    })
    await checkCast()
    t.equal(
      (await call('startSession', { token, params })).status,
      500,
      'the start reads the messages',
    )
  })
  await change('startSession', admin, session)
  await checkCast()
})

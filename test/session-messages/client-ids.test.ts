import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'

const service = await startService(t)
const { admin, ben, bot, cleo, play, post, list, change } = await openStage(service)
const client_message_id = 'one'
const used = { status: 409, body: { code: 'client_message_id_used' } }

t.test('postSessionMessage', async (t) => {
  t.test(
    'refuses another message with a client id that the caller has used, and keeps the first',
    async (t) => {
      const session = await play()
      const first = { client_message_id, content: 'Once.' }
      const { body: posted } = await post(ben, session, first)
      t.match(await post(ben, session, first), { status: 201, body: { _id: posted._id } })
      const others = [
        { content: 'Twice.' },
        { conversation_id: session.away },
        { thread_id: posted._id },
      ]
      for (const other of others) t.match(await post(ben, session, { ...first, ...other }), used)
      t.equal((await post(cleo, session, { ...first, content: 'Mine.' })).status, 201)
      t.strictSame(
        (await list(ben, session)).map(({ content }) => content),
        ['Once.', 'Mine.'],
      )
    },
  )

  t.test('refuses a client id that a trainer has used in the name of another sender', async (t) => {
    const session = await play({ participants: [ben, admin].map(({ user_id }) => ({ user_id })) })
    const first = { client_message_id, content: 'Hello.', as_character_id: bot.user_id }
    const { body: posted } = await post(admin, session, first)
    t.match((await post(admin, session, first)).body, { _id: posted._id })
    const { as_character_id: _, ...asThemselves } = first
    t.match(await post(admin, session, asThemselves), used)
    t.match(await post(admin, session, { ...first, as_character_id: ben.user_id }), used)
  })

  t.test('returns the same after the end', async (t) => {
    const session = await play()
    const first = { client_message_id, content: 'Once.' }
    const { body: posted } = await post(ben, session, first)
    await change('endSession', admin, session)
    t.match(await post(ben, session, first), { status: 201, body: { _id: posted._id } })
    t.match(await post(ben, session, { ...first, content: 'Twice.' }), used)
  })
})

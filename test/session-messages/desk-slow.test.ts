import { openDesk } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { app, db, url } = service

t.test('streamEvents', async (t) => {
  t.test('buffers little for a slow reader, and sends the current position instead', async (t) => {
    const { admin, organization_id, ben, bot, play, post } = await openStage(service)
    const session = await play()
    const { user_id } = admin
    const login = await db
      .selectFrom('login_sessions')
      .select('_id')
      .where('organization_id', '=', organization_id)
      .where('user_id', '=', user_id)
      .executeTakeFirstOrThrow()
    const stream = app.sessionStreams.openDesk(organization_id, {
      user_id,
      organization_id,
      session_id: login._id,
      api_key_id: null,
      seat: null,
      network: '127.0.0.1',
      expiresAt: null,
      ...({ role: 'admin', kind: 'trainer', seesAll: true, takesPart: false } as const),
    })
    t.teardown(() => stream.end())
    const events = stream.events()
    const take = async () => String((await events.next()).value)
    t.match(await take(), /^retry: /)
    t.match(
      await take(),
      /^event: session\ndata: .*"messages":0,"open_expectations":0,"trainer_messages":0}\n\n$/,
    )

    const otherStream = await openDesk(url, admin)
    await otherStream.waitForSession(session._id, { messages: 0 })
    const content = '€'.repeat(10_000)
    for (let i = 0; i < 40; i++) await post(bot, session, { content })
    await until(() => {
      const last = otherStream.events.at(-1)?.data
      return last.seq === 40 || last.messages === 40
    })
    let kept = 0
    const { desk } = stream
    for (let at = 0; at < desk.last; ) {
      const next = desk.log.after(at)
      kept += next?.bytes.length ?? 0
      at = next?.number ?? desk.last
    }
    t.ok(kept > 0 && kept <= 131_072, `${kept} bytes of about 1.2 million are kept`)
    t.match(
      await take(),
      /^event: session\ndata: .*"messages":40,"open_expectations":0,"trainer_messages":0}\n\n$/,
      'no message before it',
    )

    await post(ben, session, { content: 'Go on' })
    t.match(await take(), /^event: message\ndata: .*"seq":41,/, 'the stream continues there')
    await otherStream.leave()
  })
})

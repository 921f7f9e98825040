import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { t } from '../helpers/file.js'
import { node } from '../helpers/node.js'
import { start, stopEverything } from '../helpers/process.js'
import { startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'
import { until } from '../helpers/until.js'

t.teardown(stopEverything)
const service = await startService(t)
const { admin, ben, bot, play, post, list, change } = await openStage(service)
const program = fileURLToPath(new URL('../../scripts/play.js', import.meta.url))

function run(session_id: string) {
  const args = ['--url', service.url, '--session', session_id]
  return start({ API_KEYS: bot.token }, [...node, program, ...args])
}

/** Waits until a message to a session has been refused. */
async function refusal(session_id: string) {
  let isRefused = false
  const look = ({ method, url }: IncomingMessage, answer: ServerResponse) => {
    const isMessage = method === 'POST' && url?.endsWith(`/${session_id}/messages`)
    answer.on('finish', () => {
      if (isMessage && answer.statusCode === 409) isRefused = true
    })
  }
  service.app.server.on('request', look)
  await until(() => isRefused)
  service.app.server.off('request', look)
}

t.test('npm run play', async (t) => {
  t.test('answers each participant once, in the thread, until the session ends', async (t) => {
    const session = await play()
    const replies = async () => {
      const messages = await list(ben, session)
      return messages.filter(({ sender_id }) => sender_id === bot.user_id)
    }
    const { body: question } = await post(ben, session)
    const first = run(session._id)
    await until(async () => (await replies()).length === 1)
    first.process.kill()
    await first.exit
    await until(() => service.app.sessionStreams.size === 0)

    await post(ben, session)
    await change('pauseSession', admin, session)
    const refused = refusal(session._id)
    const second = run(session._id)
    await refused
    await change('resumeSession', admin, session)
    await until(async () => (await replies()).length === 2)
    await change('endSession', admin, session)
    t.match(await second.exit, { code: 0, output: '' })
    const [reply] = await replies()
    t.equal(reply?.thread_id, question._id)
    t.equal(reply?.content, `I have read it: "${question.content}"`)
    t.equal((await replies()).length, 2)
  })

  t.test('exits with the error code of a refusal', async (t) => {
    const { code, output } = await run('unknown').exit
    t.equal(code, 1)
    t.match(output, 'session_not_found')
  })
})

import { once } from 'node:events'
import { request as sendRequest } from 'node:http'
import { json } from 'node:stream/consumers'
import { t } from './helpers/file.js'
import { startService } from './helpers/service.js'

const { url, registerAdmin } = await startService(t)
const text = '{"format":"channel-templates","version":1,"templates":[]}'.padEnd(2 * 1024 * 1024)

/** A file to be imported, of which a part is sent. */
function beginImport(token: string, part = text) {
  const request = sendRequest(`${url}/api/v1/admin/simulation/channel-templates-import`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': text.length,
    },
  })
  request.write(part)
  const answer = once(request, 'response').then(async ([response]) => {
    return { status: response.statusCode, body: await json(response) }
  })
  return { answer, sendRest: () => request.end(text.slice(part.length)) }
}

t.test('large bodies', async (t) => {
  const one = await registerAdmin()
  const other = await registerAdmin()

  t.test('of one organization are read one at a time, beside those of another', async (t) => {
    const answered: string[] = []
    const first = beginImport(one.token, text.slice(0, 1000))
    const second = beginImport(one.token)
    second.sendRest()
    const firstAnswer = first.answer.then(({ status }) => answered.push(`first ${status}`))
    const secondAnswer = second.answer.then(({ status }) => answered.push(`second ${status}`))

    const beside = beginImport(other.token)
    beside.sendRest()
    t.equal((await beside.answer).status, 200)
    t.strictSame(answered, [], 'the second one waits for the first one')
    first.sendRest()
    await Promise.all([firstAnswer, secondAnswer])
    t.strictSame(answered.sort(), ['first 200', 'second 200'])
  })
})

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { operationOf } from '../helpers/contract.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const { call, registerAdmin, url } = await startService(t)
const { port } = new URL(url)

type OperationId = Parameters<typeof operationOf>[0]

/** Sends only the beginning of a large body. */
async function sendBeginning(
  operationId: OperationId,
  bytes: number,
  token: string,
): Promise<Socket> {
  const { method, path } = operationOf(operationId)
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  const headers = ['Host: x', `Authorization: Bearer ${token}`, 'Content-Type: application/json']
  socket.write([`${method} ${path} HTTP/1.1`, ...headers, `Content-Length: ${bytes}`].join('\r\n'))
  socket.write('\r\n\r\n{')
  return socket
}

async function answerTo(socket: Socket): Promise<string> {
  let text = ''
  for await (const piece of socket) text += piece
  return text
}

t.test('A body that arrives slowly', async (t) => {
  for (const [operationId, bytes, holders, senders] of [
    ['importChannelTemplates', 2_000_000, 4, 1],
    ['createExperiment', 200_000, 1, 40],
    ['createExperiment', 20_000, 1, 40],
  ] as const) {
    t.test(
      `of ${operationId}, ${bytes} bytes, loses its turn when another body waits`,
      async (t) => {
        const slow: Socket[] = []
        let lastToken = ''
        for (let i = 0; i < holders; i++) {
          const { token } = await registerAdmin()
          const begun = Array.from({ length: senders }, () =>
            sendBeginning(operationId, bytes, token),
          )
          slow.push(...(await Promise.all(begun)))
          lastToken = token
        }
        const token = holders > 1 ? (await registerAdmin()).token : lastToken
        const answers = slow.map(answerTo)
        const { status } = await call(operationId, { token, rawBody: '{}'.padEnd(bytes) })
        t.equal(status, 422)
        t.match(await Promise.race(answers), /^HTTP\/1.1 408 .*connection: close.*request_timeout/s)
        for (const socket of slow) socket.destroy()
      },
    )
  }
})

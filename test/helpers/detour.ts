import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'
import type { Node } from './cluster.js'

/**
 * A proxy to a server. It can be cut, as if the server were lost, and repaired. While it hangs, it
 * passes nothing on, but connections stay open.
 */
export async function openDetour(t: Pick<Test, 'teardown'>, { host, port }: Node) {
  const sockets = new Set<Socket>()
  let hangs = false
  const server = createServer((near) => {
    const far = connect(port, host)
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      sockets.add(one)
      one.on('data', (data) => other.write(data)).on('error', () => {})
      one.on('close', () => sockets.delete(one) && other.destroy())
      if (hangs) one.pause()
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port: ownPort } = server.address() as AddressInfo

  async function cut(): Promise<void> {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  const mend = () => once(server.listen(ownPort, '127.0.0.1'), 'listening')
  const setHanging = (isHanging: boolean) => {
    hangs = isHanging
    for (const socket of sockets) isHanging ? socket.pause() : socket.resume()
  }
  t.teardown(() => (server.listening ? cut() : undefined))
  return {
    node: { host: '127.0.0.1', port: ownPort },
    cut,
    mend,
    hang: () => setHanging(true),
    goOn: () => setHanging(false),
  }
}

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'
import type { Node } from './cluster.js'
import { until } from './until.js'

/**
 * A proxy to a server. It can be cut, as if the server were lost, and repaired. While it hangs, it
 * passes nothing on, but connections stay open.
 */
export async function openDetour(t: Pick<Test, 'teardown'>, { host, port }: Node) {
  const sockets = new Set<Socket>()
  let isCut = false
  let hangs = false
  const server = createServer((near) => {
    if (isCut) return near.resetAndDestroy()
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

  // It keeps its port while it is cut, or else another process could take it.
  async function cut(): Promise<void> {
    isCut = true
    for (const socket of sockets) socket.destroy()
    await until(() => sockets.size === 0)
  }
  const mend = () => {
    isCut = false
  }
  const setHanging = (isHanging: boolean) => {
    hangs = isHanging
    for (const socket of sockets) isHanging ? socket.pause() : socket.resume()
  }
  t.teardown(async () => {
    await cut()
    server.close()
  })
  return {
    node: { host: '127.0.0.1', port: ownPort },
    cut,
    mend,
    hang: () => setHanging(true),
    goOn: () => setHanging(false),
  }
}

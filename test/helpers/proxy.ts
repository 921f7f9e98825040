import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'
import type { Node } from './cluster.js'

/** A way to a node that can be cut, as if the node were lost, and mended. */
export async function openWayTo({ host, port }: Node, t: Pick<Test, 'teardown'>) {
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((near) => {
    const far = connect(port, host)
    keep(near)
    keep(far)
    near.pipe(far)
    far.pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port: own } = server.address() as AddressInfo
  async function cut() {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  t.teardown(() => (server.listening ? cut() : undefined))
  const mend = () => once(server.listen(own, '127.0.0.1'), 'listening')
  return { node: { host: '127.0.0.1', port: own }, cut, mend }
}

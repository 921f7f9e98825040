import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { skipUnlessServer } from './skips.js'
import { until } from './until.js'

/** Debian's pooler. */
const executable = '/usr/sbin/pgbouncer'
export const skipWithoutPooler =
  skipUnlessServer || (!existsSync(executable) && `there is no pooler at ${executable}`)

/** PgBouncer refuses connections with these settings, unless it is told to ignore them. */
const ignored = 'options,lock_timeout,statement_timeout,idle_in_transaction_session_timeout'

/** Starts PgBouncer in front of a database. Returns the address of the database through it. */
export async function startPooler(t: Test, databaseUrl: string): Promise<string> {
  const server = new URL(databaseUrl)
  const port = await freePort()
  const settings = `
[databases]
* = host=${server.hostname} port=${server.port} user=${server.username} password=${server.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
ignore_startup_parameters = ${ignored}
`
  const file = join(t.testdir(), 'pgbouncer.ini')
  writeFileSync(file, settings)
  chmodSync(file, 0o644)
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const pooler = spawn(executable, ['-q', ...user, file], { stdio: 'ignore' })
  const exit = once(pooler, 'close')
  t.teardown(async () => {
    pooler.kill('SIGKILL')
    await exit
  })
  await until(() => accepts(port))
  const url = new URL(databaseUrl)
  Object.assign(url, { hostname: '127.0.0.1', port: String(port) })
  return url.href
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('There is no port')
  return address.port
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkout } from './paths.js'
import type { Side } from './processes.js'

const longestStartMs = 10_000

/** The configuration in docs/operating.md, for this service and without TLS. */
function siteOf(service: Side, port: number): string {
  const guide = readFileSync(join(checkout, 'docs/operating.md'), 'utf8')
  const [, site] = /```nginx\n(.*?)```/s.exec(guide) ?? []
  if (!site) throw new Error('docs/operating.md has no configuration of nginx')
  return site
    .replace('127.0.0.1:3000', new URL(service.url).host)
    .replace('443 ssl http2', `127.0.0.1:${port}`)
    .replace(/^ *ssl_certificate.*\n/gm, '')
}

/** As Debian configures nginx, with the connections that docs/operating.md names. */
const configurationOf = (service: Side, port: number) => `
worker_processes auto;
pid nginx.pid;
error_log error.log;
events { worker_connections 8192; }
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  ${siteOf(service, port)}
}
`

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

async function untilAnswers(url: string): Promise<void> {
  const end = performance.now() + longestStartMs
  while (performance.now() < end) {
    const answer = await fetch(`${url}/health`).catch(() => null)
    if (answer?.ok) return
    await sleep(50)
  }
  throw new Error('nginx does not answer: is it installed?')
}

/** Puts nginx before a service. Returns the side with the address of nginx; its process is the service's. */
export async function behindNginx(service: Side): Promise<Side> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const folder = mkdtempSync(join(tmpdir(), 'workplace-bench-nginx-'))
  // If root starts nginx, its workers run as another user.
  chmodSync(folder, 0o755)
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, configurationOf(service, port))
  const nginx = spawn('nginx', ['-p', folder, '-c', file, '-e', 'stderr', '-g', 'daemon off;'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  // An nginx that cannot start does not answer either.
  nginx.on('error', () => {})
  process.once('exit', () => nginx.kill())
  const ended = new Promise((resolve) => nginx.once('close', resolve))
  const stopNginx = async () => {
    nginx.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await untilAnswers(url)
  } catch (error) {
    await stopNginx()
    throw error
  }
  const stop: Side['stop'] = async (signal) => {
    await stopNginx()
    await service.stop(signal)
  }
  return { ...service, url, stop }
}

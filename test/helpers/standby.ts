import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TAP } from 'tap'

const run = promisify(execFile)

/** The directory of PostgreSQL's server programs on this machine; undefined without one. */
function findPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian)
    ? readdirSync(debian).sort((a, b) => Number(b) - Number(a))
    : []
  const places = versions.map((version) => join(debian, version, 'bin'))
  try {
    places.push(execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim())
  } catch {}
  const wanted = ['initdb', 'pg_ctl', 'pg_basebackup']
  return places.find((place) => wanted.every((program) => existsSync(join(place, program))))
}

const programs = findPrograms()

/** Returns the account for PostgreSQL, which refuses to run as root; undefined without one. */
function findAccount(): { uid?: number; gid?: number } | undefined {
  if (process.getuid?.() !== 0) return {}
  const idOf = (option: string) =>
    Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8', stdio: 'pipe' }))
  try {
    return { uid: idOf('-u'), gid: idOf('-g') }
  } catch {
    return undefined
  }
}

const account = findAccount()

/** The reason why this machine cannot run a primary and a standby; false when it can. */
export const cannotReplicate =
  (!programs && 'there is no PostgreSQL server on this machine to start') ||
  (!account && 'root cannot start PostgreSQL where there is no user postgres')

const settings = [
  '-c fsync=off',
  '-c listen_addresses=127.0.0.1',
  "-c unix_socket_directories=''",
  '-c wal_retrieve_retry_interval=100ms',
].join(' ')

/** A primary and a standby that follows it, on separate servers, removed after the tests. */
export async function startPair(t: Pick<TAP, 'teardown'>) {
  const directory = mkdtempSync(join(tmpdir(), 'pair-'))
  if (account?.uid && account.gid) chownSync(directory, account.uid, account.gid)
  const servers = {
    primary: await describeServer(join(directory, 'primary')),
    standby: await describeServer(join(directory, 'standby')),
  }
  t.teardown(async () => {
    for (const server of Object.values(servers)) await server.stop().catch(() => {})
    rmSync(directory, { recursive: true, force: true })
  })

  const { primary, standby } = servers
  await execute('initdb', [
    `--pgdata=${primary.data}`,
    '--auth=trust',
    '--username=postgres',
    '--no-sync',
  ])
  await primary.start()
  const copy = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync', '--wal-method=stream']
  await execute('pg_basebackup', [`--pgdata=${standby.data}`, `--dbname=${primary.url}`, ...copy])
  await standby.start()
  return servers
}

async function describeServer(data: string) {
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const control = (...args: string[]) => execute('pg_ctl', [...args, `--pgdata=${data}`, '--wait'])
  return {
    data,
    url,
    port,
    start: () => control('start', `--log=${data}.log`, `--options=-p ${port} ${settings}`),
    stop: () => control('stop', '--mode=immediate'),
    promote: () => control('promote'),
  }
}

function execute(program: string, args: string[]) {
  return run(join(programs ?? '', program), args, { ...account, cwd: '/', timeout: 60_000 })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

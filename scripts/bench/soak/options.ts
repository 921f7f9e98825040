import { parseArgs } from 'node:util'
import { serverUrl } from '../connections.js'

export interface SoakOptions {
  minutes: number
  /** The storms by their names, or parts of them; empty for all. */
  only: string[]
  /** The checkout whose build is soaked; null for this one. */
  service: string | null
  small: boolean
  /** Where a database of its own is made. */
  server: string
}

const usage = `npm run soak -- [options]

  Two processes of the service on a PostgreSQL server of this machine (DATABASE_URL). One organization
  makes every storm in turn, another one reads and writes meanwhile, and one process a minute is
  killed. It makes a database workplace_soak there, and drops it.

  --minutes 60        how long
  --only <storm,…>    these storms only
  --service <folder>  soak the service that was built in another checkout
  --small             prepare little for each storm: whether it works, not how well`

const mostMinutes = 8 * 60

/** The options of a command line; null when it only asks for help. */
export function readSoakOptions(args: string[]): SoakOptions | null {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '60' },
      only: { type: 'string', default: '' },
      service: { type: 'string' },
      small: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(usage)
    return null
  }
  const minutes = Number(values.minutes)
  if (!(minutes > 0 && minutes <= mostMinutes)) {
    throw new Error(`--minutes must be a number above 0, at most ${mostMinutes}`)
  }
  return {
    minutes,
    only: values.only.split(',').filter((storm) => storm !== ''),
    service: values.service ?? null,
    small: values.small,
    server: requireLoopback(serverUrl()),
  }
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]', '::1'])

/** Throws unless a database server is on this machine: nothing else is ever stormed. */
export function requireLoopback(server: string): string {
  const { hostname, searchParams } = new URL(server)
  const host = searchParams.get('host') ?? hostname
  if (loopback.has(host) || host.startsWith('/')) return server
  throw new Error(`The soak works on the loopback only: ${host} is another machine`)
}

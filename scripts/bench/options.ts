import { parseArgs } from 'node:util'

export interface Options {
  /** Names of the scenarios to run, or the beginnings of names; empty for all. */
  names: string[]
  rounds: number
  seconds: number
  connections: number
  /** Audit events of the organization with the long history. */
  events: number
  /** Generates the data again. */
  fresh: boolean
  /** Runs smaller scenarios, which shows that they work but not how fast the service is. */
  small: boolean
  /** Parts of the names of the storms that fairness is measured beside; empty for all. */
  only: string[]
  /** The checkout whose built service fairness measures, and which `start` compares this one with. */
  service: string | null
  /** Measures fairness through nginx, as docs/operating.md configures it. */
  nginx: boolean
  /** The commit that `ab` compares this checkout with. */
  commit: string | null
  /** File for the results as JSON. */
  json: string | null
}

const usage = `npm run bench -- [scenario …] [options]
npm run bench -- ab <commit> [options]

  A name selects every scenario that begins with it: "audit" runs all audit scenarios. Without a
  name all are run.

  --rounds 5          turns of each side
  --seconds 5         length of each turn
  --connections 32    connections that send without pause
  --events 5000000    audit events of the organization with the long history
  --small             a few sessions and storms for a short while: does it work?
  --only <storm,…>    measure fairness beside these storms only
  --nginx             measure fairness through nginx, as docs/operating.md configures it
  --service <folder>  a service that was built in another checkout: fairness is measured of it, and
                      a start is compared with its start
  --fresh             generate the data again
  --json <file>       also write the results as JSON
  --list              print the scenarios with their questions and goals`

/** Parses the command line. Returns null when it only asks for help. */
export function readOptions(args: string[]): (Options & { list: boolean }) | null {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '32' },
      events: { type: 'string', default: '5000000' },
      fresh: { type: 'boolean', default: false },
      small: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      nginx: { type: 'boolean', default: false },
      service: { type: 'string' },
      json: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(usage)
    return null
  }
  const [first, commit = null] = positionals
  const isAb = first === 'ab'
  return {
    names: isAb ? ['ab'] : positionals,
    commit: isAb ? commit : null,
    rounds: wholeNumber('rounds', values.rounds, 1),
    seconds: wholeNumber('seconds', values.seconds, 1),
    connections: wholeNumber('connections', values.connections, 1),
    events: wholeNumber('events', values.events, 10_000),
    fresh: values.fresh,
    small: values.small,
    only: splitList(values.only),
    nginx: values.nginx,
    service: values.service ?? null,
    json: values.json ?? null,
    list: values.list,
  }
}

export const splitList = (text: string) => text.split(',').filter((part) => part !== '')

function wholeNumber(name: string, text: string, min: number): number {
  const number = Number(text.replaceAll('_', ''))
  if (Number.isInteger(number) && number >= min) return number
  throw new Error(`--${name} must be a whole number, at least ${min}`)
}

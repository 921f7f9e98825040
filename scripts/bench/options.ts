import { parseArgs } from 'node:util'

export interface Options {
  /** Of the scenarios to run. */
  names: string[]
  rounds: number
  seconds: number
  connections: number
  /** Audit events of the tenant with the long history. */
  events: number
  fresh: boolean
  /** Plays fewer sessions for a shorter while: to see that it works, not how well. */
  small: boolean
  /** The storms that fairness is measured beside; empty for all. */
  only: string[]
  /** The checkout whose build fairness measures; null for this one. */
  service: string | null
  /** Where to write the results as JSON. */
  json: string | null
}

const usage = `npm run bench -- [scenario …] [options]

  A scenario is named in full, or several by what their names start with: "audit" runs every audit
  scenario. Without a name all are run. "scale" compares processes and, where CITUS_URL names a
  database on the coordinator of a Citus cluster, that with one PostgreSQL, and works out from both
  what larger machines would carry.

  --rounds 5          how often each side takes its turn
  --seconds 5         how long each turn is measured
  --connections 32    connections that send without pause
  --events 5000000    audit events of the tenant with the long history
  --small             play few sessions for a short while: whether it works, not how well
  --only <storm,…>    measure fairness beside these storms only
  --service <folder>  measure the fairness of the service that was built in another checkout
  --fresh             generate the data again, even if they are there
  --json <file>       write the results as JSON, too
  --list              name the scenarios`

/** The options of a command line; null when it only asks for help or a list. */
export function readOptions(args: string[], scenarioNames: string[]): Options | null {
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
      service: { type: 'string' },
      json: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help || values.list) {
    console.log(values.help ? usage : scenarioNames.join('\n'))
    return null
  }
  return {
    names: positionals.length === 0 ? scenarioNames : positionals.flatMap(named(scenarioNames)),
    rounds: wholeNumber('rounds', values.rounds, 1),
    seconds: wholeNumber('seconds', values.seconds, 1),
    connections: wholeNumber('connections', values.connections, 1),
    events: wholeNumber('events', values.events, 10_000),
    fresh: values.fresh,
    small: values.small,
    only: values.only.split(',').filter((storm) => storm !== ''),
    service: values.service ?? null,
    json: values.json ?? null,
  }
}

/** The scenario of a name, or all whose names start with it. */
function named(scenarioNames: string[]) {
  return (name: string): string[] => {
    if (scenarioNames.includes(name)) return [name]
    const found = scenarioNames.filter((one) => one.startsWith(name))
    if (found.length > 0) return found
    throw new Error(`There is no scenario ${name}. There are: ${scenarioNames.join(', ')}`)
  }
}

function wholeNumber(name: string, text: string, least: number): number {
  const number = Number(text.replaceAll('_', ''))
  if (Number.isInteger(number) && number >= least) return number
  throw new Error(`--${name} must be a whole number, at least ${least}`)
}

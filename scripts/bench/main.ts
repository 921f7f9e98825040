import { writeFileSync } from 'node:fs'
import { tenants } from './data/tenants.js'
import { openBenchDatabase } from './database/bench-database.js'
import { removeTemporary, selectAdmins } from './database/temporary.js'
import { describeMachine } from './measuring/machine.js'
import { type Options, readOptions } from './options.js'
import { describeGoal, type Findings, goalLines, printFindings } from './report.js'
import type { Bench, Scenario } from './scenario.js'
import { ab } from './scenarios/ab.js'
import { auditChain } from './scenarios/audit-chain.js'
import { auditGrowth } from './scenarios/audit-growth.js'
import { auditExport, auditVerify } from './scenarios/audit-trail.js'
import { fairness } from './scenarios/fairness.js'
import { operations } from './scenarios/operations.js'
import { pagesDelivery } from './scenarios/pages-delivery.js'
import { pagesTyping } from './scenarios/pages-typing.js'
import { sessionsDecisions } from './scenarios/sessions-decisions.js'
import { sessionsKills, sessionsLag } from './scenarios/sessions-delivery.js'
import { sessionsPlans } from './scenarios/sessions-plans.js'
import { sessionsStreams } from './scenarios/sessions-streams.js'
import { start } from './scenarios/start.js'
import { strangers } from './scenarios/strangers.js'
import { users10000 } from './scenarios/users-10000.js'

const scenarios: Scenario[] = [
  ...operations,
  auditGrowth,
  auditChain,
  auditExport,
  auditVerify,
  users10000,
  start,
  sessionsLag,
  sessionsKills,
  sessionsDecisions,
  sessionsPlans,
  sessionsStreams,
  pagesDelivery,
  pagesTyping,
  ...fairness,
  strangers,
  ab,
]

/** Returns the scenarios of which a name is the whole name, or else the beginning. */
function selectScenarios(names: string[]): Scenario[] {
  const matching = (name: string) => {
    const exact = scenarios.filter((one) => one.name === name)
    const found = exact.length > 0 ? exact : scenarios.filter((one) => one.name.startsWith(name))
    if (found.length > 0) return found
    const known = scenarios.map((one) => one.name).join(', ')
    throw new Error(`There is no scenario ${name}. There are: ${known}`)
  }
  const chosen = names.flatMap(matching)
  // `ab` needs a commit, so it runs only by name.
  if (names.length === 0) return scenarios.filter((one) => one !== ab)
  return scenarios.filter((one) => chosen.includes(one))
}

function printList(): void {
  for (const { name, question, goals } of scenarios) {
    console.log(`${name}: ${question}`)
    for (const [what, goal] of Object.entries(goals)) console.log(`  ${what} ${describeGoal(goal)}`)
  }
}

async function openBench(options: Options): Promise<Bench> {
  const database = await openBenchDatabase(options)
  const numbers = Object.values(tenants).map(({ number }) => number)
  const admins = await selectAdmins(database.client, numbers)
  const named = Object.keys(tenants).map((name, i) => [name, admins[i]])
  return { options, database, tenants: Object.fromEntries(named) }
}

interface Outcome extends Findings {
  scenario: Scenario
}

/** Runs the scenarios. One that fails does not end the run. */
async function runAll(chosen: Scenario[], bench: Bench): Promise<Outcome[]> {
  const { client } = bench.database
  const outcomes: Outcome[] = []
  for (const scenario of chosen) {
    // Writes that earlier work left must not disturb a measurement. Not every role may ask for it.
    await client.query('checkpoint').catch(() => {})
    try {
      const findings = await scenario.run(bench)
      outcomes.push({ ...findings, scenario })
      printFindings(scenario.name, scenario.goals, findings)
    } catch (error) {
      console.error(`\n${scenario.name} FAILED: ${error instanceof Error ? error.message : error}`)
      process.exitCode = 1
    }
    await removeTemporary(client)
  }
  return outcomes
}

function printSummary(outcomes: Outcome[]): void {
  console.log('\nAll goals')
  for (const { scenario, ...findings } of outcomes) {
    console.log([`\n${scenario.name}`, ...goalLines(scenario.goals, findings)].join('\n'))
  }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (!options) return
  if (options.list) return printList()
  const chosen = selectScenarios(options.names)
  const bench = await openBench(options)
  const { client } = bench.database
  try {
    const machine = await describeMachine(client)
    const { rounds, seconds, connections } = options
    console.log(machine)
    console.log(`${rounds} rounds of ${seconds} s, ${connections} connections`)
    await removeTemporary(client)
    const outcomes = await runAll(chosen, bench)
    printSummary(outcomes)
    const results = { machine, options, outcomes }
    if (options.json) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`)
  } finally {
    await client.end()
  }
}

// So that the `exit` event ends the processes that were started.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

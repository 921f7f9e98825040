import { writeFileSync } from 'node:fs'
import { describeMachine } from './machine.js'
import { readOptions } from './options.js'
import { type Goal, goalLine, isMet, type Outcome, printOutcome } from './report.js'
import { auditChain } from './scenarios/audit-chain.js'
import { auditExport } from './scenarios/audit-export.js'
import { auditFilters } from './scenarios/audit-filters.js'
import { auditCrowd, auditGrowth } from './scenarios/audit-growth.js'
import { auditInsert } from './scenarios/audit-insert.js'
import { auditVerify } from './scenarios/audit-verify.js'
import { blueprints } from './scenarios/blueprints.js'
import { fairness } from './scenarios/fairness.js'
import { hashing } from './scenarios/hashing.js'
import { operationScenarios } from './scenarios/operations.js'
import { permutation } from './scenarios/permutation.js'
import { quickSetup } from './scenarios/quick-setup.js'
import { scaleCapacity } from './scenarios/scale-capacity.js'
import { scaleCitus } from './scenarios/scale-citus.js'
import { scaleProcesses } from './scenarios/scale-processes.js'
import { sessionsIdle } from './scenarios/sessions-idle.js'
import { sessionsKills } from './scenarios/sessions-kills.js'
import { sessionsEmbedded, sessionsLag } from './scenarios/sessions-lag.js'
import { sessionsPause } from './scenarios/sessions-pause.js'
import { sessionsStreams } from './scenarios/sessions-streams.js'
import { start } from './scenarios/start.js'
import { templateImport } from './scenarios/template-import.js'
import { users10000 } from './scenarios/users-10000.js'
import { openSetting, type Scenario, type Setting } from './setting.js'
import { removeTemporary } from './temporary.js'

const scenarios: Scenario[] = [
  ...operationScenarios,
  auditGrowth,
  auditFilters,
  auditCrowd,
  auditInsert,
  auditChain,
  auditExport,
  auditVerify,
  users10000,
  quickSetup,
  blueprints,
  templateImport,
  hashing,
  permutation,
  start,
  sessionsLag,
  sessionsEmbedded,
  sessionsKills,
  sessionsPause,
  sessionsIdle,
  sessionsStreams,
  ...fairness,
  scaleProcesses,
  scaleCitus,
  scaleCapacity,
]

async function main(): Promise<void> {
  const options = readOptions(
    process.argv.slice(2),
    scenarios.map(({ name }) => name),
  )
  if (!options) return
  const chosen = scenarios.filter(({ name }) => options.names.includes(name))
  const setting = await openSetting(options)
  const { client } = setting.database
  const machine = await describeMachine(client)
  try {
    console.log(machine.join('\n'))
    console.log(
      `${options.rounds} rounds of ${options.seconds} s, ${options.connections} connections`,
    )
    await removeTemporary(client)
    const leftOut = chosen.filter(({ missing }) => missing?.())
    const outcomes = await runAll(
      chosen.filter((scenario) => !leftOut.includes(scenario)),
      setting,
    )
    printSummary(outcomes)
    for (const { name, missing } of leftOut) console.log(`${name} was LEFT OUT: ${missing?.()}`)
    if (options.json) {
      writeJson(options.json, {
        machine,
        options,
        outcomes,
        leftOut: leftOut.map(({ name }) => name),
      })
    }
  } finally {
    await client.end()
  }
}

/** A scenario that fails does not take the others' results with it. */
async function runAll(chosen: Scenario[], setting: Setting): Promise<Record<string, Outcome>> {
  const { client } = setting.database
  const outcomes: Record<string, Outcome> = {}
  for (const { name, run } of chosen) {
    // Writes that earlier work left to be done do not fall into a measurement; not all may ask.
    await client.query('checkpoint').catch(() => {})
    try {
      const outcome = await run(setting, outcomes)
      outcomes[name] = outcome
      printOutcome(name, outcome)
    } catch (error) {
      console.error(`\n${name} FAILED: ${error instanceof Error ? error.message : error}`)
      process.exitCode = 1
    }
    await removeTemporary(client)
  }
  return outcomes
}

function printSummary(outcomes: Record<string, Outcome>): void {
  console.log('\nAll goals\n')
  const goals = Object.entries(outcomes).flatMap(([name, outcome]) =>
    outcome.goals.map((goal) => ({ ...goal, what: `${name}: ${goal.what}` })),
  )
  for (const goal of goals) console.log(`  ${goalLine(goal)}`)
  console.log(`\n${goals.filter((goal) => isMet(goal)).length} of ${goals.length} goals are met.`)
}

function writeJson(file: string, results: object): void {
  const withVerdict = (key: string, value: unknown) =>
    key === 'goals' ? (value as Goal[]).map((goal) => ({ ...goal, isMet: isMet(goal) })) : value
  writeFileSync(file, `${JSON.stringify(results, withVerdict, 2)}\n`)
}

// So that `exit` comes, and with it the end of the processes that were started.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { onCluster } from './test/on-cluster.js'
import { isSameEverywhere } from './test/once.js'
import { runInProcesses } from './test/process.js'
import { printFailures, printSkips, printSlowest, printTitles, Report } from './test/report.js'
import type { FileRun } from './test/results.js'

/** If more files than this fail, none runs again, and the run fails. */
const maxUnstable = 3
const cores = Math.min(availableParallelism(), 3)
/** How many processes run files that mostly wait, and files that mostly compute, as long as there are both. */
const concurrency = { waiting: 2 * cores, computing: cores }
const folder = 'dist/test'

/** Exits if all files are to run on a cluster, but none is named: the embedded database is not meant. */
function refuseWithoutCluster(args: string[]): void {
  if (!args.includes('--all') || process.env.TEST_CITUS_URL) return
  console.error('--all runs all files on a Citus cluster: set TEST_CITUS_URL to its address')
  process.exit(1)
}

/** The test files to run. Those that mostly wait, for a browser or for processes, come first. */
function chooseFiles(args: string[]): string[] {
  const { TEST_CITUS_URL, TEST_DATABASE_URL } = process.env
  const words = args.filter((arg) => !arg.startsWith('-'))
  const isPart = words.length === 0 && !args.includes('--all')
  const isInPart = (name: string) =>
    (!TEST_CITUS_URL || onCluster.includes(name.replace('.test.js', ''))) &&
    (!TEST_DATABASE_URL || !isSameEverywhere(`${folder}/${name}`))
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.js'))
    .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
  if (names.length === 0) {
    console.error(`No test file has ${words.join(' or ')} in its path`)
    process.exit(1)
  }
  const chosen = isPart ? names.filter(isInPart) : names
  return [...chosen.filter(isWaiting), ...chosen.filter((name) => !isWaiting(name))]
}

const isWaiting = (name: string) =>
  /node:child_process|playwright|helpers\/(process|holder|browser|mailbox|documents)\.js/.test(
    readFileSync(`${folder}/${name}`, 'utf8'),
  )

/** Runs files that failed once more, each alone and on a new database. */
async function runAgain(failed: FileRun[]): Promise<FileRun[]> {
  console.log(`Once more, alone: ${failed.map(({ source }) => source).join(', ')}`)
  const report = new Report(failed.length)
  for (const { name } of failed) {
    const names = [name]
    await runInProcesses(() => names.shift(), report)
  }
  return report.runs
}

refuseWithoutCluster(process.argv.slice(2))
const start = performance.now()
const files = chooseFiles(process.argv.slice(2))
const chosen = files.length
const report = new Report(chosen)
const runMany = (length: number, next: () => string | undefined) =>
  Array.from({ length }, () => runInProcesses(next, report))
await Promise.all([
  ...runMany(concurrency.waiting, () => files.shift()),
  ...runMany(concurrency.computing, () => files.pop()),
])
const failed = report.runs.filter(({ hasFailed }) => hasFailed)
const again = failed.length <= maxUnstable && failed.length > 0 ? await runAgain(failed) : []
const last = report.runs.map((run) => again.find(({ name }) => name === run.name) ?? run)
const unstable = failed.filter((run) => last.some((one) => one.name === run.name && !one.hasFailed))

printSlowest(report.runs)
printSkips(last)
for (const run of unstable) printFailures('UNSTABLE', run)
for (const run of last) printTitles('FAILED', run)
const sum = (count: (run: FileRun) => number) => last.reduce((all, run) => all + count(run), 0)
const failures = sum((run) => run.failures.length)
console.log(
  [
    `${sum(({ passed }) => passed)} passed`,
    `${failures} failed`,
    `${sum(({ skips }) => skips.length)} skipped`,
    `${unstable.length} unstable`,
    `${report.runs.length} files in ${Math.round((performance.now() - start) / 1_000)} s`,
  ].join(', '),
)
process.exitCode = failures === 0 && report.runs.length === chosen ? 0 : 1

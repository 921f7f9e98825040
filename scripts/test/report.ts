import type { Reporter } from './process.js'
import type { Failure, FileRun } from './results.js'

/** Prints each failure at once, and a line for each file as it ends. */
export class Report implements Reporter {
  readonly runs: FileRun[] = []

  constructor(readonly count: number) {}

  failed(run: FileRun, failure: Failure): void {
    printFailure('FAILED', run, failure)
  }

  ended(run: FileRun): void {
    this.runs.push(run)
    const place = `${this.runs.length}/${this.count}`.padStart(8)
    console.log(`${place} ${timeOf(run)} ${run.source}${run.hasFailed ? ' FAILED' : ''}`)
  }
}

const timeOf = ({ seconds }: FileRun) => `${seconds.toFixed(1).padStart(6)} s`

const titleOf = (word: string, run: FileRun, { title }: Failure) =>
  `${word} ${run.source}: ${title}`

function printFailure(word: string, run: FileRun, failure: Failure): void {
  console.log(titleOf(word, run, failure))
  if (failure.text) console.log(failure.text.trimEnd().replace(/^/gm, '    '))
}

export function printFailures(word: string, run: FileRun): void {
  for (const failure of run.failures) printFailure(word, run, failure)
}

/** Prints which tests failed, whose failures have been printed before. */
export function printTitles(word: string, run: FileRun): void {
  for (const failure of run.failures) console.log(titleOf(word, run, failure))
}

export function printSlowest(runs: FileRun[]): void {
  console.log('The slowest files:')
  for (const run of runs.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10)) {
    console.log(`${' '.repeat(8)} ${timeOf(run)} ${run.source}`)
  }
}

/** Prints how many tests were skipped for which reason. */
export function printSkips(runs: FileRun[]): void {
  const skips = runs.flatMap((run) => run.skips)
  for (const reason of new Set(skips)) {
    console.log(`${skips.filter((one) => one === reason).length} skipped: ${reason}`)
  }
}

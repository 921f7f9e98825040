import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Failure, FileRun, readResults } from './results.js'

export interface Reporter {
  failed(run: FileRun, failure: Failure): void
  ended(run: FileRun): void
}

const program = 'dist/test/helpers/part.js'
// A process of tests runs most of its code only a few times, so the first compiler of V8 is enough.
const options = ['--enable-source-maps', '--liftoff-only']
/** How long a process may take to stop its service and to drop its database. */
const maxEndMs = 120_000

/** Runs test files as long as `next` returns one. A process that breaks off is followed by another one. */
export async function runInProcesses(
  next: () => string | undefined,
  reporter: Reporter,
): Promise<void> {
  for (let name = next(); name !== undefined; name = next()) {
    await runProcess(name, next, reporter)
  }
}

/**
 * Runs test files one after the other in a process of their own, where they share a service and a database.
 * What goes wrong outside of a file counts for the file that the process ran last.
 */
async function runProcess(first: string, next: () => string | undefined, reporter: Reporter) {
  const child = spawn(process.execPath, [...options, program], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TAP_TIMEOUT: '0' },
  })
  // A process that has broken off reads no more.
  child.stdin.on('error', () => {})
  const closed = once(child, 'close')
  const runs: FileRun[] = []
  let current = new FileRun(first)
  let isRunning = true
  let timer: NodeJS.Timeout | undefined

  function begin(run: FileRun) {
    current = run
    isRunning = true
    runs.push(run)
    child.stdin.write(`${run.name}\n`)
  }

  function end() {
    isRunning = false
    current.end()
    reporter.ended(current)
  }

  readResults(child.stdout, () => current, {
    failed: (failure) => reporter.failed(current, failure),
    fileEnded() {
      end()
      const name = next()
      if (name !== undefined) return begin(new FileRun(name))
      child.stdin.end()
      timer = setTimeout(() => child.kill('SIGKILL'), maxEndMs)
    },
  })
  begin(current)
  const [status, signal] = await closed
  clearTimeout(timer)
  // Tests that fail end their process with 1.
  const expected = runs.some(({ hasFailed }) => hasFailed) ? 1 : 0
  if (isRunning || status !== expected) {
    const failure = { title: 'its process ends well', text: `ended with ${signal ?? status}\n` }
    current.failures.push(failure)
    reporter.failed(current, failure)
  }
  if (isRunning) end()
}

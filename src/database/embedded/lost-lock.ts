import { writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { isatty } from 'node:tty'

const stderr = 2

/**
 * Ends this process before it writes into a directory that another process may own. Does not use the
 * event loop, which a query may block.
 */
export function endWithoutLock(directory: string, reason = 'its lock is no longer ours'): never {
  const msg = `${directory} may be in use by another process: ${reason}. Stopped at once.`
  const line = { level: 60, time: Date.now(), pid: process.pid, hostname: hostname(), msg }
  writeSync(stderr, isatty(stderr) ? `${msg}\n` : `${JSON.stringify(line)}\n`)
  process.kill(process.pid, 'SIGKILL')
  throw new Error(msg)
}

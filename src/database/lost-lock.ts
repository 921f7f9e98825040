import { writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { isatty } from 'node:tty'

const stderr = 2

/**
 * Ends this process before it writes another byte into a directory that may be somebody else's. It
 * asks nothing of the event loop, which a query may be blocking.
 */
export function endWithoutLock(directory: string, reason = 'its lock is not ours any more'): never {
  const msg = `${directory} may be in use by another process: ${reason}. Stopped at once.`
  const line = { level: 60, time: Date.now(), pid: process.pid, hostname: hostname(), msg }
  writeSync(stderr, isatty(stderr) ? `${msg}\n` : `${JSON.stringify(line)}\n`)
  process.kill(process.pid, 'SIGKILL')
  throw new Error(msg)
}

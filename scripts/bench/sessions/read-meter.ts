import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** What a metered process tells of itself, after collecting its garbage. */
export interface Reading {
  rss: number
  heapUsed: number
  /** What was sent to PostgreSQL since the reading before, by its text. */
  statements: Record<string, Sent>
}

export interface Sent {
  count: number
  firstMs: number
  lastMs: number
}

/** Where a metered process is asked. */
export const socketOf = (pid: number) => join(tmpdir(), `workplace-bench-${pid}.socket`)

export async function readMeter(pid: number): Promise<Reading> {
  return JSON.parse(await text(connect(socketOf(pid))))
}

const checkMs = 2_000
const stillBytes = 2 ** 19
const checks = 20

/** The same once the process holds as much as before: what its start has left is let go of in time. */
export async function readSettledMeter(pid: number): Promise<Reading> {
  let before = await readMeter(pid)
  for (let check = 0; check < checks; check++) {
    await sleep(checkMs)
    const now = await readMeter(pid)
    if (Math.abs(now.rss - before.rss) < stillBytes) return now
    before = now
  }
  throw new Error('The memory of a process does not settle')
}

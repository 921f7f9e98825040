import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

/** Linux counts a process's time in hundredths of a second. */
const tickMs = 10

/** Returns the processor time of a process with all its threads; null without /proc. */
export function cpuMs(pid: number): number | null {
  const stat = readStat(pid)
  return stat && stat.ticks * tickMs
}

/** Returns the same with that of all processes it has started. */
export function familyCpuMs(pid: number): number | null {
  const own = cpuMs(pid)
  if (own === null) return null
  return startedBy(pid).reduce((sum, child) => sum + (familyCpuMs(child) ?? 0), own)
}

/** Returns the ids of the running child processes. */
export function startedBy(pid: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.filter((one) => readStat(one)?.parent === pid)
}

function readStat(pid: number): { parent: number; ticks: number } | null {
  const stat = readProc(pid, 'stat')
  if (stat === null) return null
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
}

const idleCheckMs = 200
const longestWaitMs = 20_000

/**
 * Waits until a process and its children are idle. A load ends with unanswered requests, and their
 * work, above all the hashing of passwords, would fall into the next measurement.
 */
export async function untilIdle(pid: number): Promise<void> {
  const givesUpAt = performance.now() + longestWaitMs
  let before = familyCpuMs(pid)
  while (performance.now() < givesUpAt) {
    await sleep(idleCheckMs)
    const now = familyCpuMs(pid)
    if (now === null || before === null || now - before <= tickMs) return
    before = now
  }
}

/** Returns the resident memory of a process now and its peak since the last reset, in bytes. */
export function residentBytes(pid: number): { now: number | null; peak: number | null } {
  const status = readProc(pid, 'status') ?? ''
  const bytesOf = (name: string) => {
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]
    return kilobytes === undefined ? null : Number(kilobytes) * 1024
  }
  return { now: bytesOf('VmRSS'), peak: bytesOf('VmHWM') }
}

export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // Not Linux: the peak cannot be read either.
  }
}

const pauseMs = 1_000

/** Returns by how many bytes a process grows at most while work runs. */
export async function memoryGrowth(
  pid: number,
  work: () => Promise<unknown>,
): Promise<number | null> {
  await sleep(pauseMs)
  resetPeak(pid)
  const { now } = residentBytes(pid)
  await work()
  const { peak } = residentBytes(pid)
  return now === null || peak === null ? null : peak - now
}

/**
 * Returns the processor time of each server process of a database; null when the server is on
 * another machine.
 */
export async function postgresCpuMs(client: pg.Client): Promise<Map<number, number> | null> {
  const { rows } = await client.query<{ pid: number }>(`
    select pid from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
  const used = new Map<number, number>()
  for (const { pid } of rows) {
    if (!readProc(pid, 'comm')?.startsWith('postgres')) return null
    used.set(pid, cpuMs(pid) ?? 0)
  }
  return used
}

/** Returns the processor time between two readings. */
export function usedBetween(
  before: Map<number, number> | null,
  after: Map<number, number> | null,
): number | null {
  if (!before || !after || after.size === 0) return null
  let used = 0
  for (const [pid, ms] of after) used += ms - (before.get(pid) ?? 0)
  return used
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return null
  }
}

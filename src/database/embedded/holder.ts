import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** The process that holds a directory, as its lock file names it. */
export interface Holder {
  token: string
  pid: number
  host: string
  /** The boot of the machine and the pid namespace, in which the pid is valid; null if unknown. */
  place: string | null
  /** In ticks since the boot of the machine, because a pid can be used again. */
  startedAt: string | null
}

export function describeSelf(): Holder {
  const { pid } = process
  return {
    token: randomUUID(),
    pid,
    host: hostname(),
    place: describeNamespace(),
    startedAt: startOf(pid),
  }
}

export function parseHolder(text: string): Holder | null {
  try {
    const holder: Partial<Holder> | null = JSON.parse(text)
    return Number.isInteger(holder?.pid) ? (holder as Holder) : null
  } catch {
    return null
  }
}

/** Whether the holder's pid is valid here. In another container or on another host it is not. */
export function isNeighbour(holder: Holder | null): holder is Holder {
  return holder !== null && holder.place !== null && holder.place === describeNamespace()
}

/** Whether the process runs. If its start time cannot be read, it counts as the same process. */
export function isRunning({ pid, startedAt }: Holder): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (!hasCode(error, 'EPERM')) return false
  }
  return (startOf(pid) ?? startedAt) === startedAt
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function describeNamespace(): string | null {
  try {
    // In a namespace that kept the /proc of another one, pids and /proc do not belong together.
    if (readlinkSync('/proc/self') !== String(process.pid)) return null
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return null
  }
}

function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field, the command in parentheses, may contain spaces and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}

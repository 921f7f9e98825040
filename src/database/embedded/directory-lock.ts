import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { HeartbeatOptions } from './heartbeat.js'
import { describeSelf, hasCode, isNeighbour, isRunning, parseHolder } from './holder.js'
import { endWithoutLock } from './lost-lock.js'

export interface DirectoryLock {
  /** Ends this process if another one has taken over the directory, perhaps while this one was frozen. */
  assertHeld(): void
  release(): Promise<void>
}

/** How often the holder updates the lock, and how long another process waits for an update. */
const defaults = { beatMs: 1_000, silenceMs: 10_000 }

/**
 * Locks a directory for this process. PGlite takes no lock, and a second process would lose acknowledged
 * rows. The lock works across containers and hosts that share a file system: its file names the holder,
 * and a thread keeps updating the file's time. On the same machine a dead holder is detected at once,
 * elsewhere when the updates stop; clocks are not compared. Throws if a living process holds the lock.
 */
export async function lockDirectory(
  directory: string,
  { beatMs, silenceMs } = defaults,
): Promise<DirectoryLock> {
  const file = join(resolve(directory), 'lock')
  const text = JSON.stringify(describeSelf())
  await claim(file, text, silenceMs)
  const workerData: HeartbeatOptions = { directory, file, text, beatMs, silenceMs }
  const module = import.meta.resolve('#dist/src/database/embedded/heartbeat.js')
  const heart = new Worker(new URL(module), { workerData, execArgv: [] })
  heart.unref()
  let checkedAt = Date.now()
  return {
    assertHeld() {
      if (Math.abs(Date.now() - checkedAt) < beatMs) return
      if (read(file) !== text) endWithoutLock(directory)
      checkedAt = Date.now()
    },
    async release() {
      await heart.terminate()
      if (read(file) === text) rmSync(file)
    },
  }
}

/**
 * Creates the file with `text`. To replace a dead holder, a process first claims a second file of this
 * kind, the succession, and then moves it into place. So only one of several processes replaces it.
 */
async function claim(file: string, text: string, silenceMs: number): Promise<void> {
  while (!create(file, text)) {
    const found = read(file)
    if (found === null) continue
    if (await isHeld(file, found, silenceMs)) throw heldBy(file, found)
    const succession = `${file}.${createHash('sha256').update(found).digest('hex').slice(0, 16)}`
    await claim(succession, text, silenceMs)
    if (read(file) === found) return renameSync(succession, file)
    rmSync(succession)
  }
}

function create(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

async function isHeld(file: string, found: string, silenceMs: number): Promise<boolean> {
  const holder = parseHolder(found)
  if (isNeighbour(holder)) return isRunning(holder)

  const changed = timeOf(file)
  const deadline = performance.now() + silenceMs
  while (performance.now() < deadline) {
    await sleep(silenceMs / 50)
    // Read first: a network file system refreshes the time of a file only when it is opened.
    if (read(file) !== found) return false
    if (timeOf(file) !== changed) return true
  }
  return false
}

function timeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs
}

function heldBy(file: string, found: string): Error {
  const holder = parseHolder(found)
  const who = holder ? `process ${holder.pid} on ${holder.host}` : 'another process'
  return new Error(
    `${dirname(file)} is in use by ${who}. Stop that process, or set another DATA_DIR.`,
  )
}

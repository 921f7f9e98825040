import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Duty } from './heartbeat.js'
import { describeSelf, hasCode, isNeighbour, isRunning, parseHolder } from './holder.js'
import { endWithoutLock } from './lost-lock.js'

export interface Lock {
  /** Ends this process when somebody else took the directory over, while it was frozen perhaps. */
  assertHeld(): void
  release(): Promise<void>
}

/** How often a holder shows that it lives, and how long a silent one is listened for. */
const defaults = { beatMs: 1_000, silenceMs: 10_000 }

/**
 * Claims a directory for this process, because PGlite takes no lock of its own and a second process
 * would lose acknowledged rows. The claim holds across containers and across hosts of one file
 * system: its file names the holder, and a thread keeps changing the file's time. Who died is
 * recognized at once by a neighbour, and elsewhere by its silence; clocks are not compared. Throws
 * when a living process holds the directory.
 */
export async function lockDirectory(
  directory: string,
  { beatMs, silenceMs } = defaults,
): Promise<Lock> {
  const file = join(resolve(directory), 'lock')
  const text = JSON.stringify(describeSelf())
  await claim(file, text, silenceMs)
  const workerData: Duty = { directory, file, text, beatMs, silenceMs }
  const heart = new Worker(new URL('./heartbeat.js', import.meta.url), { workerData, execArgv: [] })
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
 * Writes `text` into a file of its own making. To succeed a dead holder one claims the succession,
 * another file of this kind, and moves it into place: of many that saw the same dead holder one does.
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
    // Reading first, because opening a file is what makes a network file system look at it anew.
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

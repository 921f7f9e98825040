import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const heldHere = new Set<string>()

/**
 * Claims a directory for this process with a file that holds its pid, because PGlite takes no lock
 * of its own and a second process would lose acknowledged rows. The file of a process that died is
 * taken over. Throws when a living process holds it. Returns the function that gives it back.
 */
export function lockDirectory(directory: string): () => void {
  const file = join(resolve(directory), 'lock')
  for (let attempt = 0; attempt < 3; attempt++) {
    if (heldHere.has(file)) throw heldBy(directory, process.pid)
    if (create(file)) return hold(file)
    const holder = readHolder(file)
    if (isAlive(holder)) throw heldBy(directory, holder)
    takeAway(file, holder)
  }
  throw new Error(`Cannot lock ${directory}: other processes keep claiming it`)
}

function hold(file: string): () => void {
  heldHere.add(file)
  return () => {
    rmSync(file, { force: true })
    heldHere.delete(file)
  }
}

/** Links a written file into place, so that nobody ever reads a lock without its pid. */
function create(file: string): boolean {
  const draft = `${file}.${process.pid}.draft`
  writeFileSync(draft, String(process.pid), { mode: 0o600 })
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  } finally {
    rmSync(draft)
  }
}

function readHolder(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0
    throw error
  }
}

function isAlive(pid: number): boolean {
  // In a container the dead process before us may have had our own pid.
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/** Renames instead of deleting: of two processes that saw the same stale file only one succeeds. */
function takeAway(file: string, holder: number): void {
  const aside = `${file}.${process.pid}`
  try {
    renameSync(file, aside)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return
    throw error
  }
  const taken = readHolder(aside)
  if (taken !== holder && isAlive(taken)) {
    renameSync(aside, file)
    return
  }
  rmSync(aside)
}

function heldBy(directory: string, pid: number): Error {
  return new Error(
    `${directory} is in use by process ${pid}. Stop that process, or set another DATA_DIR.`,
  )
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

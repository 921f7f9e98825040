import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import processOnSpawn from 'process-on-spawn'
import root, { type Test } from 'tap'

// tap loads a module of its own, for a coverage that is off here, into every process that a test
// starts. Each of them would take three times as long to start.
processOnSpawn.removeAllListeners()
const { NODE_OPTIONS = '' } = process.env
process.env.NODE_OPTIONS = NODE_OPTIONS.replace(/"--import=[^"]*@tapjs\/processinfo[^"]*"/, '')

/** The parent of a file's tests: the file's part of this process. */
export let t: Test = root

/**
 * Runs test files in sequence in this process, each under its name, and each only once
 * among all processes that share a directory for their claims.
 */
export async function runFiles(names: string[], claims: string): Promise<void> {
  for (const name of names) {
    if (!claim(join(claims, name))) continue
    await root.test(name, async (file) => {
      t = file
      await import(`../${name}`)
    })
  }
}

function claim(file: string): boolean {
  try {
    writeFileSync(file, '', { flag: 'wx' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import root, { type Test } from 'tap'

/** What the tests of a file are added to: the file's own part of this process. */
export let t: Test = root

/**
 * Runs test files one after the other in this process, each under its own name, and each but once
 * among all processes that leave their claims in the same directory.
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

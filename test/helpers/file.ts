import root, { type Test } from 'tap'

/** What the tests of a file are added to: the file's own part of this process. */
export let t: Test = root

/** Runs test files one after the other in this process, each under its own name. */
export async function runFiles(names: string[]): Promise<void> {
  for (const name of names) {
    await root.test(name, async (file) => {
      t = file
      await import(`../${name}`)
    })
  }
}

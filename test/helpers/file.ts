import root, { type Test } from 'tap'

/** The parent of a file's tests: the file's part of this process. */
export let t: Test = root

/** Only a file that hangs takes so long. */
const timeout = 20 * 60_000

/** Runs test files one after the other in this process, each under its name. */
export async function runFiles(names: AsyncIterable<string>): Promise<void> {
  // One test around all: between two files, tap would end a process that has nothing to do.
  await root.test('files', async (files) => {
    for await (const name of names) {
      await files.test(name, { timeout }, async (file) => {
        t = file
        await import(`../${name}`)
      })
      // The reader of results holds each one back until the next begins.
      files.pass(`${name} has ended`)
    }
  })
}

import root, { type Test } from 'tap'

/** The parent of the tests in the file that is running. */
export let t: Test = root

process.on('warning', ({ name, message, stack }) => {
  // The driver of the browser and the embedded database use experimental parts.
  if (name !== 'ExperimentalWarning') t.fail(`Node warns: ${message}`, { stack })
})

/** Only a file that hangs takes longer. */
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
      // The reader of the results reports a test only when the next one begins.
      files.pass(`${name} has ended`)
    }
  })
}

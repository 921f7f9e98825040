import { createInterface } from 'node:readline'
import { runFiles } from './file.js'

// Failed tests end a process with 1, like an error outside of tests, which tap does not catch. A signal
// tells the two apart.
process.on('uncaughtExceptionMonitor', (error) => {
  if (process.hasUncaughtExceptionCaptureCallback()) return
  console.error(error)
  process.kill(process.pid, 'SIGKILL')
})

// Runs a part of the suite: each line of the input is the name of a test file.
await runFiles(createInterface({ input: process.stdin }))

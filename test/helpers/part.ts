import { createInterface } from 'node:readline'
import { runFiles } from './file.js'

// Runs a part of the suite: each line of the input is the name of a test file.
await runFiles(createInterface({ input: process.stdin }))

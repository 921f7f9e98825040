import { createInterface } from 'node:readline'
import { runFiles } from './file.js'

// Part of the suite in a process: runs each file whose name comes in a line.
await runFiles(createInterface({ input: process.stdin }))

import { spawnSync } from 'node:child_process'

// Where no terminal is, the reporter would print a picture of its progress for every test that ends.
const env = process.stdout.isTTY ? process.env : { CI: 'true', ...process.env }
const tap = ['node_modules/tap/dist/esm/run.mjs', ...process.argv.slice(2)]
const { status } = spawnSync(process.execPath, tap, { stdio: 'inherit', env })
process.exit(status ?? 1)

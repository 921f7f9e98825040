import { setFlagsFromString } from 'node:v8'
import { openPGlite } from './embedded.js'

// What runs once is not worth optimizing.
setFlagsFromString('--liftoff-only')
// Nobody waits any more for what the process that asked would have used.
process.once('disconnect', () => process.exit(1))
const [directory = ''] = process.argv.slice(2)
const pglite = await openPGlite(directory)
await pglite.close()
process.exit()

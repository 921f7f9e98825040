import { setFlagsFromString } from 'node:v8'
import { openPGlite } from './open.js'

// This process runs once, so optimizing code is not worth it.
setFlagsFromString('--liftoff-only')
// Stop if the parent process has ended.
process.once('disconnect', () => process.exit(1))
const [directory = ''] = process.argv.slice(2)
const pglite = await openPGlite(directory)
await pglite.close()
process.exit()

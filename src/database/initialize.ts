import { setFlagsFromString } from 'node:v8'
import { openPGlite } from './embedded.js'

// What runs once is not worth optimizing.
setFlagsFromString('--liftoff-only')
const [directory = ''] = process.argv.slice(2)
const pglite = await openPGlite(directory)
await pglite.close()

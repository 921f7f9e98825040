import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Loaded into the service with `--import`, so that its memory holds nothing but what it needs.
setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
const everyMs = 2_000
setInterval(collect, everyMs).unref()

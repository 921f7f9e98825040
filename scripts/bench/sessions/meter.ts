import { unlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import pg from 'pg'
import { type Reading, type Sent, socketOf } from './read-meter.js'

// Loaded into a process of the service before anything else, by `--import`.

const statements = new Map<string, Sent>()

function textOf(query: unknown): string {
  if (typeof query === 'string') return query
  return typeof query === 'object' && query !== null ? String(Reflect.get(query, 'text')) : ''
}

pg.Client.prototype.query = new Proxy(pg.Client.prototype.query, {
  apply(query, client, given) {
    const text = textOf(given[0])
    const lastMs = performance.now()
    const { count, firstMs } = statements.get(text) ?? { count: 0, firstMs: lastMs }
    statements.set(text, { count: count + 1, firstMs, lastMs })
    return Reflect.apply(query, client, given)
  },
})

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

function read(): Reading {
  // What the first collection finds to be finalized, the second one frees.
  for (let i = 0; i < 2; i++) collect()
  const { rss, heapUsed } = process.memoryUsage()
  const sent = Object.fromEntries(statements)
  statements.clear()
  return { rss, heapUsed, statements: sent }
}

const path = socketOf(process.pid)
process.on('exit', () => unlinkSync(path))
createServer((socket) => socket.end(JSON.stringify(read())))
  .listen(path)
  .unref()

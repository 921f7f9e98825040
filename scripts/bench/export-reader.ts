import { fork } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { LoadRequest } from './load.js'

interface Plan {
  url: string
  request: LoadRequest
}

export interface Export {
  milliseconds: number
  bytes: number
  /** Those before the last one. */
  lines: number
  last: string
}

/** Reads an export in a process of its own, so that only the service and its reader are busy. */
export async function readExport(url: string, request: LoadRequest): Promise<Export> {
  const child = fork(fileURLToPath(import.meta.url), ['read'], { env: { PATH: process.env.PATH } })
  child.send({ url, request } satisfies Plan)
  const [read] = (await once(child, 'message')) as [Export | { fault: string }]
  if ('fault' in read) throw new Error(`The export was not read: ${read.fault}`)
  return read
}

/** Throws unless the last line says that all lines before it are the whole trail. */
export function checkComplete({ lines, last }: Export, least: number): void {
  const { end, count, sequence } = JSON.parse(last)
  if (end !== true || count !== lines || sequence !== lines || lines < least) {
    throw new Error(`${lines} lines of at least ${least} end with ${last.slice(0, 300)}`)
  }
}

const lineFeed = 10

async function read({ url, request: { path, headers } }: Plan): Promise<Export> {
  const startedAt = performance.now()
  const [response] = (await once(get(url + path, { headers }), 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
  let bytes = 0
  let lines = 0
  let tail = Buffer.alloc(0)
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) lines++
    tail = Buffer.concat([tail, chunk]).subarray(-2_000)
  }
  const last = tail.toString().trimEnd().split('\n').at(-1) ?? ''
  return { milliseconds: performance.now() - startedAt, bytes, lines: lines - 1, last }
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === 'read') {
  process.once('message', async (plan: Plan) => {
    process.send?.(await read(plan).catch((error) => ({ fault: String(error) })))
    process.disconnect()
  })
}

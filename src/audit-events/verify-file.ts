import { open } from 'node:fs/promises'
import { beginning, type Link, linkTo } from './chain.js'
import type { EndLine } from './export.js'
import type { Goal } from './verify.js'

export interface FileVerification {
  organization_id: string | null
  events: number
  sequence: number
  hash: string
  /** What is wrong with the file, in words; null when it is what was exported. */
  fault: string | null
}

/** The end line is shorter. */
const tailBytes = 4_096

/**
 * Whether an exported NDJSON file is whole and unchanged, and leads to a goal. It takes nothing but
 * the file, and as much memory as its longest line.
 */
export async function verifyFile(file: string, goal: Goal | null): Promise<FileVerification> {
  const end = await readEndLine(file)
  let link: Link = end?.pruned
    ? { sequence: end.pruned.sequence, hash: Buffer.from(end.pruned.hash, 'hex') }
    : beginning
  const start = link.sequence
  let organization_id: string | null = null
  let passed = goal?.sequence === start ? link.hash : null
  for await (const line of readLines(file)) {
    if (line.subarray(0, 7).toString() === '{"end":') break
    organization_id ??= organizationIn(line)
    link = linkTo(link, line)
    if (link.sequence === goal?.sequence) passed = link.hash
  }
  const events = link.sequence - start
  const hash = link.hash.toString('hex')
  const fault = faultOfEnd(end, { ...link, events }) ?? faultOfGoal(goal, passed)
  return { organization_id, events, sequence: link.sequence, hash, fault }
}

function faultOfEnd(end: EndLine | null, { sequence, hash, events }: Link & { events: number }) {
  if (!end) return 'The file is cut off: its last line is missing.'
  if (end.filtered) return 'The export was filtered: its lines alone do not make up the trail.'
  if (end.count !== events) return `The file has ${events} events where there were ${end.count}.`
  if (end.sequence !== sequence || end.hash !== hash.toString('hex')) {
    return 'The events do not come to the hash: some were changed, exchanged or replaced.'
  }
  return null
}

function faultOfGoal(goal: Goal | null, passed: Buffer | null): string | null {
  if (!goal) return null
  if (!passed) return `The events do not reach the checkpoint at ${goal.sequence}.`
  if (passed.toString('hex') === goal.hash) return null
  return `The events do not come to the checkpoint at ${goal.sequence}: the trail was rewritten.`
}

function organizationIn(line: Buffer): string | null {
  try {
    return JSON.parse(line.toString()).organization_id ?? null
  } catch {
    return null
  }
}

async function readEndLine(file: string): Promise<EndLine | null> {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const from = Math.max(0, size - tailBytes)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(tailBytes), 0, tailBytes, from)
    const lines = buffer.subarray(0, bytesRead).toString().split('\n')
    const last = lines.pop() === '' ? lines.pop() : undefined
    return last?.startsWith('{"end":true,') ? JSON.parse(last) : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  } finally {
    await handle.close()
  }
}

/** The bytes between line feeds. Node's readline takes other characters for the end of a line too. */
async function* readLines(file: string): AsyncGenerator<Buffer> {
  const handle = await open(file)
  let rest = Buffer.alloc(0)
  for await (const chunk of handle.createReadStream()) {
    rest = Buffer.concat([rest, chunk])
    let from = 0
    for (let to = rest.indexOf(10); to !== -1; to = rest.indexOf(10, from)) {
      yield rest.subarray(from, to)
      from = to + 1
    }
    rest = rest.subarray(from)
  }
  if (rest.length > 0) yield rest
}

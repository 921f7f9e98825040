import { open } from 'node:fs/promises'
import type { Schema } from '../../contract.js'
import { beginning, type Link, linkText, linkTo } from '../chain/chain.js'
import type { EndLine } from '../export/trail-formats.js'
import type { Goal } from './walk.js'

export interface FileVerification {
  organization_id: string | null
  events: number
  sequence: number
  hash: string
  /** A text about what is wrong with the file. Null if it is as exported. */
  fault: string | null
}

/** The end line is always shorter than this. */
const tailBytes = 4_096

/**
 * Checks that an exported NDJSON file is complete and unchanged, and leads to a goal. It needs only
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
  let isPruningRecorded = false
  let hasEnded = false
  for await (const line of readLines(file)) {
    if (hasEnded) return { ...read(), fault: 'The file continues after its end line.' }
    hasEnded = line.subarray(0, 7).toString() === '{"end":'
    if (hasEnded) continue
    organization_id ??= eventIn(line).organization_id ?? null
    isPruningRecorded ||= recordsPruning(line, end?.pruned)
    link = linkTo(link, line)
    if (link.sequence === goal?.sequence) passed = link.hash
  }
  function read() {
    return { organization_id, events: link.sequence - start, ...linkText(link) }
  }
  const fault = faultOfEnd(end, read()) ?? faultOfGoal(goal, start, passed)
  const isCut = start > 0 && !isPruningRecorded
  return {
    ...read(),
    fault:
      fault ?? (isCut ? 'Its first events are missing, and no event records their removal.' : null),
  }
}

/** Whether this line records that retention removed the events before the file. */
function recordsPruning(line: Buffer, pruned: EndLine['pruned']): boolean {
  if (!pruned || !line.includes('"audit_pruned"')) return false
  const { category, event_type, actor_type, metadata } = eventIn(line)
  const isRetention = category === 'audit' && event_type === 'audit_pruned'
  const isUpTo = metadata?.to === pruned.sequence && metadata?.hash === pruned.hash
  return isRetention && actor_type === 'system' && isUpTo
}

function faultOfEnd(
  end: EndLine | null,
  { sequence, hash, events }: Pick<FileVerification, 'sequence' | 'hash' | 'events'>,
) {
  if (!end) return 'The file is cut off: its last line is missing.'
  if (end.filtered) return 'The export was filtered: its lines are not the whole trail.'
  if (end.count !== events) return `The file has ${events} events, but ${end.count} were exported.`
  if (end.sequence !== sequence || end.hash !== hash) {
    return 'The events do not lead to the hash: some were changed, reordered or replaced.'
  }
  return null
}

function faultOfGoal(goal: Goal | null, start: number, passed: Buffer | null): string | null {
  if (!goal) return null
  if (goal.sequence < start)
    return 'The checkpoint is older than the events that retention has kept.'
  if (!passed) return `The events do not reach the checkpoint at ${goal.sequence}.`
  if (passed.toString('hex') === goal.hash) return null
  return `The events do not lead to the checkpoint at ${goal.sequence}: the trail was rewritten.`
}

function eventIn(line: Buffer): Partial<Schema<'AuditEvent'>> {
  try {
    return JSON.parse(line.toString())
  } catch {
    return {}
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

/** The bytes between line feeds. Node's readline would also split at other characters. */
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

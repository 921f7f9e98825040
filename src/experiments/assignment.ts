import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Schema } from '../contract.js'
import type { Arms } from './design.js'

export type Block = Schema<'AssignmentBlock'>

export const algorithm = 'permuted_block_randomization'

/**
 * Permuted-block randomization (Efird 2011, doi:10.3390/ijerph8010015), in which the hash of seed
 * and session takes the place of a generator: within each block the sessions are put in the order
 * of their hashes, the first half is control, the second intervention. The odd one of a block
 * evens out the arms; when they are even, the hash of seed and block decides. The contract has it
 * exactly, so that anybody can repeat it.
 */
export function assign(seed: string, blocks: readonly Block[]): Arms {
  const control_session_ids: string[] = []
  const intervention_session_ids: string[] = []
  for (const { name, session_ids } of inOrder(blocks)) {
    const drawn = sortBy(session_ids, (session) => sha256(`${seed}\n${session}`))
    const lead = control_session_ids.length - intervention_session_ids.length
    const isToControl = lead === 0 ? isEven(sha256(`${seed}\n${name ?? ''}`)) : lead < 0
    const half = isToControl ? Math.ceil(drawn.length / 2) : Math.floor(drawn.length / 2)
    control_session_ids.push(...drawn.slice(0, half))
    intervention_session_ids.push(...drawn.slice(half))
  }
  return { control_session_ids, intervention_session_ids }
}

type Draw = Pick<Schema<'Assignment'>, 'algorithm' | 'seed' | 'blocks'>

/** Whether an assignment is the record of this very draw, whoever made it when. */
export function isRecordOf(assignment: Schema<'Assignment'> | null, draw: Draw): boolean {
  return assignment !== null && isDeepStrictEqual({ ...assignment, ...draw }, assignment)
}

/** Blocks in the order in which they are assigned, each with its sessions in order. */
export function inOrder(blocks: readonly Block[]): Block[] {
  const named = blocks.filter(({ name }) => name !== null)
  const nameless = blocks.filter(({ name }) => name === null)
  return [...sortBy(named, ({ name }) => utf8(name ?? '')), ...nameless].map((block) => ({
    name: block.name,
    session_ids: sortBy(block.session_ids, utf8),
  }))
}

/** Sorted by a hexadecimal key that no two of them share. */
function sortBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return items
    .map((item) => ({ item, key: keyOf(item) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ item }) => item)
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const isEven = (hash: string) => Number.parseInt(hash.slice(0, 2), 16) % 2 === 0
/** In UTF-8 texts have the order of their code points; JavaScript compares in UTF-16. */
const utf8 = (text: string) => Buffer.from(text).toString('hex')

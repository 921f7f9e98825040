import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Schema } from '../../contract.js'
import type { Arms } from '../design.js'

export type Block = Schema<'AssignmentBlock'>

export const algorithm = 'permuted_block_randomization'

/**
 * Permuted-block randomization (Efird 2011, doi:10.3390/ijerph8010015). It uses the hash of seed and
 * session instead of a random generator: it sorts the sessions of each block by their hashes. The
 * first half goes to control, the second to intervention. In a block of an odd number, the session
 * in the middle goes to the smaller arm; when the arms are equal, the hash of seed and block
 * decides. The contract describes each step, so that clients can repeat the assignment.
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

/** Whether an assignment records this draw, no matter when and by which user it was made. */
export function isRecordOf(assignment: Schema<'Assignment'> | null, draw: Draw): boolean {
  return assignment !== null && isDeepStrictEqual({ ...assignment, ...draw }, assignment)
}

/** Blocks sorted by name, the one without a name last. Each block has its sessions sorted by id. */
export function inOrder(blocks: readonly Block[]): Block[] {
  const named = blocks.filter(({ name }) => name !== null)
  const nameless = blocks.filter(({ name }) => name === null)
  return [...sortBy(named, ({ name }) => utf8(name ?? '')), ...nameless].map((block) => ({
    name: block.name,
    session_ids: sortBy(block.session_ids, utf8),
  }))
}

/** Sorts by a hexadecimal key that is unique among the items. */
function sortBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return items
    .map((item) => ({ item, key: keyOf(item) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ item }) => item)
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const isEven = (hash: string) => Number.parseInt(hash.slice(0, 2), 16) % 2 === 0
/** UTF-8 bytes sort by code point, as the contract asks. JavaScript compares UTF-16 units. */
const utf8 = (text: string) => Buffer.from(text).toString('hex')

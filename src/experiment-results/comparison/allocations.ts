import { createCipheriv, createHash } from 'node:crypto'
import { addRows, type Row, type Trial } from './trial.js'

/** Receives the sum of the rows that an allocation puts in the intervention arm. */
type Visit = (sum: Row) => void

/**
 * Visits every allocation of the design. If the arms have the same sizes, half of them are enough:
 * `isMirrored` leaves out those whose first unit is in the control arm.
 */
export function listAllocations({ slots, rows }: Trial, isMirrored: boolean, visit: Visit): void {
  const sums = slots.map((): Row => [0, 0, 0, 0, 0])
  function fill(depth: number, next: number, filled: Row): void {
    const slot = slots[depth]
    const sum = sums[depth]
    if (!slot || !sum) {
      visit(filled)
      return
    }
    const last = isMirrored && depth === 0 ? slot.first : slot.last
    for (let unit = Math.max(next, slot.first); unit <= last; unit++) {
      const row = rows[unit]
      if (row) addRows(sum, filled, row)
      fill(depth + 1, unit + 1, sum)
    }
  }
  fill(0, 0, [0, 0, 0, 0, 0])
}

/**
 * Visits allocations drawn at random, each by a Fisher-Yates shuffle within blocks. The numbers are the
 * key stream of AES-256 in counter mode under the SHA-256 of the seed, the same on every machine.
 */
export function drawAllocations(
  { slots, rows }: Trial,
  { seed, draws }: { seed: string; draws: number },
  visit: Visit,
): void {
  const key = createHash('sha256').update(seed).digest()
  const stream = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  const zeros = Buffer.alloc(4 * slots.length)
  const order = [...rows]
  const sum: Row = [0, 0, 0, 0, 0]
  for (let draw = 0; draw < draws; draw++) {
    const random = stream.update(zeros)
    sum.fill(0)
    for (const [i, { first, end }] of slots.entries()) {
      const chosen = first + Math.floor((random.readUInt32LE(4 * i) / 2 ** 32) * (end - first))
      const [row, other] = [order[chosen], order[first]]
      if (!row || !other) continue
      order[chosen] = other
      order[first] = row
      addRows(sum, sum, row)
    }
    visit(sum)
  }
}

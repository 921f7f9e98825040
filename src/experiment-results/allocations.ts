import { createCipheriv, createHash } from 'node:crypto'
import { addRows, type Row, type Trial } from './trial.js'

/** Is told the sum of the rows that an allocation has in the intervention arm. */
type See = (sum: Row) => void

/**
 * Every allocation of the design. Where the arms are of the same sizes, half of them will do:
 * `isMirrored` leaves out those whose first unit is in the control arm.
 */
export function listAllocations({ places, rows }: Trial, isMirrored: boolean, see: See): void {
  const sums = places.map((): Row => [0, 0, 0, 0, 0])
  function fill(depth: number, next: number, filled: Row): void {
    const place = places[depth]
    const sum = sums[depth]
    if (!place || !sum) {
      see(filled)
      return
    }
    const last = isMirrored && depth === 0 ? place.first : place.last
    for (let unit = Math.max(next, place.first); unit <= last; unit++) {
      const row = rows[unit]
      if (row) addRows(sum, filled, row)
      fill(depth + 1, unit + 1, sum)
    }
  }
  fill(0, 0, [0, 0, 0, 0, 0])
}

/**
 * Allocations drawn at random, each by a Fisher-Yates shuffle within blocks. The numbers are the
 * key stream of AES-256 in counter mode under the SHA-256 of the seed, the same on every machine.
 */
export function drawAllocations(
  { places, rows }: Trial,
  { seed, draws }: { seed: string; draws: number },
  see: See,
): void {
  const key = createHash('sha256').update(seed).digest()
  const stream = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  const zeros = Buffer.alloc(4 * places.length)
  const order = [...rows]
  const sum: Row = [0, 0, 0, 0, 0]
  for (let draw = 0; draw < draws; draw++) {
    const random = stream.update(zeros)
    sum.fill(0)
    for (const [i, { first, end }] of places.entries()) {
      const chosen = first + Math.floor((random.readUInt32LE(4 * i) / 2 ** 32) * (end - first))
      const [row, other] = [order[chosen], order[first]]
      if (!row || !other) continue
      order[chosen] = other
      order[first] = row
      addRows(sum, sum, row)
    }
    see(sum)
  }
}

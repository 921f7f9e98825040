import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'

/**
 * The line of the value at a path, or of the nearest value around it that exists. Only a file with
 * a fault is parsed this way: it takes ten times as long as js-yaml takes to load it.
 */
export function lineOf(source: string, path: readonly (string | number)[]): number {
  const lineCounter = new LineCounter()
  let node: unknown = parseDocument(source, { lineCounter }).contents
  let offset = 0
  for (const step of path) {
    const [start, value] = childOf(node, String(step))
    if (!isNode(start)) break
    offset = start.range?.[0] ?? offset
    node = value
  }
  return Math.max(1, lineCounter.linePos(offset).line)
}

/** The node at which a child starts, which is its key in a mapping, and the child. */
function childOf(parent: unknown, step: string): unknown[] {
  if (isSeq(parent)) return [parent.items[Number(step)], parent.items[Number(step)]]
  if (!isMap(parent)) return []
  const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === step)
  return [pair?.key, pair?.value]
}

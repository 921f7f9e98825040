const searches = ['find', 'findIndex', 'findLast', 'filter', 'some', 'every', 'includes'] as const
const lookUps = [
  [Map.prototype, 'get'],
  [Map.prototype, 'has'],
  [Set.prototype, 'has'],
] as const

/**
 * Counts the steps of the searches in some work: one for each look-up in a map or a set, and the
 * length of the list for each search in a list. The count is the same on every machine.
 */
export function stepsOf(run: () => void): number {
  let steps = 0
  const undo: (() => void)[] = []
  function count(owner: object, name: string, stepsIn: (self: unknown) => number) {
    const original: unknown = Reflect.get(owner, name)
    if (typeof original !== 'function') throw new Error(`There is no ${name}`)
    function counting(this: unknown, ...given: unknown[]) {
      steps += stepsIn(this)
      return Reflect.apply(original as () => unknown, this, given)
    }
    Reflect.set(owner, name, counting)
    undo.push(() => Reflect.set(owner, name, original))
  }
  try {
    for (const name of [...searches, 'indexOf']) {
      count(Array.prototype, name, (self) => (self as unknown[]).length)
    }
    for (const [owner, name] of lookUps) count(owner, name, () => 1)
    run()
  } finally {
    for (const restore of undo) restore()
  }
  return steps
}

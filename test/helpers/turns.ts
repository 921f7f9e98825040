import { type EndTurn, Turns } from '../../src/turns/turns.js'

/** Returns turns that take no time. `begun` lists their keys in the order in which they begin. */
export function createTurns(options: Partial<ConstructorParameters<typeof Turns>[0]> = {}) {
  const turns = new Turns({ capacity: 4, longestQueue: 100, clock: () => 0, ...options })
  const begun: string[] = []
  const ends: EndTurn[] = []
  const asked: Promise<void>[] = []
  function ask(key: string, times = 1): void {
    for (let time = 0; time < times; time++) {
      const take = async () => {
        ends.push(await turns.take(key))
        begun.push(key)
      }
      const taken = take()
      taken.catch(() => {})
      asked.push(taken)
    }
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  /** Ends this number of turns, the earliest first. */
  async function end(times = 1): Promise<void> {
    for (let time = 0; time < times; time++) {
      await settled()
      ends.shift()?.()
    }
    await settled()
  }
  return { turns, begun, asked, ask, end, settled }
}

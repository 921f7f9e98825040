import { Slices } from '../../src/turns/slices.js'
import { t } from '../helpers/file.js'

/** Counts the turns of the event loop. */
function countLoops() {
  let loops = 0
  let isOver = false
  const count = () => {
    loops++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const stop = () => {
    isOver = true
  }
  return { now: () => loops, stop }
}

/** The clock stands still except during work, so the speed of the machine does not matter. */
let now = performance.now()

/** Takes longer than a slice may take. */
function work(): void {
  now += 6
}

t.test('Slices', async (t) => {
  t.intercept(performance, 'now', { value: () => now })

  t.test('begin one per turn of the event loop, and the keys alternate', async (t) => {
    const slices = new Slices()
    const loops = countLoops()
    const begun: { key: string; loop: number }[] = []
    async function workFor(key: string): Promise<void> {
      const pause = slices.pauseOf(key)
      for (let step = 0; step < 3; step++) {
        await pause()
        begun.push({ key, loop: loops.now() })
        work()
      }
    }
    await Promise.all([...Array(9).fill('a'), 'b'].map(workFor))
    loops.stop()
    t.equal(new Set(begun.map(({ loop }) => loop)).size, 30)
    const last = begun.findLastIndex(({ key }) => key === 'b')
    t.ok(last < 25, 'b waits only for a part of a')
  })

  t.test('in a transaction alternate with all slices without a transaction', async (t) => {
    const slices = new Slices()
    const begun: string[] = []
    async function workFor(key: string, inTransaction: boolean): Promise<void> {
      const pause = slices.pauseOf(key, { inTransaction })
      for (let step = 0; step < 5; step++) {
        await pause()
        begun.push(key)
        work()
      }
    }
    const keys = [...'abcdefgh'].map((key) => workFor(key, false))
    await Promise.all([...keys, workFor('t', true)])
    t.ok(begun.lastIndexOf('t') < 25, 'it does not wait for each of the other keys')
  })

  t.test('continue without a pause until they are used up', async (t) => {
    const loops = countLoops()
    const pause = new Slices().pauseOf('a')
    await pause()
    const begin = loops.now()
    await pause()
    await pause()
    t.equal(loops.now(), begin)
    work()
    await pause()
    loops.stop()
    t.ok(loops.now() > begin)
  })

  t.test('fail when their work is no longer wanted, and other slices continue', async (t) => {
    const slices = new Slices()
    let isWanted = true
    const pause = slices.pauseOf('a', { isWanted: () => isWanted })
    await pause()
    isWanted = false
    work()
    await t.rejects(pause(), /unavailable/)
    await slices.pauseOf('b')()
  })
})

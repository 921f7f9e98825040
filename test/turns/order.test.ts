import { Turns } from '../../src/turns/turns.js'
import { t } from '../helpers/file.js'
import { createTurns } from '../helpers/turns.js'

t.test('Turns', async (t) => {
  t.test('all go to one key while no other key waits', async (t) => {
    const { begun, ask, settled } = createTurns()
    ask('a', 6)
    await settled()
    t.strictSame(begun, ['a', 'a', 'a', 'a'])
  })

  t.test('leave the reserve to another key, which begins immediately', async (t) => {
    const { begun, ask, settled } = createTurns({ reserve: 1 })
    ask('a', 6)
    ask('b')
    await settled()
    t.strictSame(begun.sort(), ['a', 'a', 'a', 'b'])
  })

  t.test('are reserved for keys without one when few are left', async (t) => {
    const { begun, ask, end, settled } = createTurns({ spare: 2 })
    ask('a', 4)
    ask('b', 2)
    ask('c', 2)
    await settled()
    t.equal(begun.join(''), 'aabc')
    await end(2)
    t.equal(begun.join(''), 'aabca', 'a has none left and gets one, and the last is reserved')
    ask('d')
    await settled()
    t.equal(begun.join(''), 'aabcad')
  })

  t.test('go to the waiting keys one by one', async (t) => {
    const { begun, ask, end } = createTurns({ capacity: 1 })
    ask('a', 4)
    ask('b', 2)
    ask('c', 2)
    await end(8)
    t.equal(begun.join(''), 'aabcabca')
  })

  t.test('go to the waiting key that has had the least time', async (t) => {
    let now = 0
    const { begun, ask, end, settled } = createTurns({ capacity: 1, clock: () => now })
    ask('long', 3)
    ask('short', 12)
    await settled()
    while (begun.length < 15) {
      now += begun.at(-1) === 'long' ? 50 : 10
      await end()
    }
    const [long, short] = ['long', ...Array(5).fill('short')]
    t.strictSame(begun.slice(0, 7), [long, ...Array(5).fill(short), long])
  })

  t.test('are not saved up for a key that asks for none', async (t) => {
    let now = 0
    const { begun, ask, end, settled } = createTurns({ capacity: 1, clock: () => now })
    ask('a', 12)
    await settled()
    for (let turn = 0; turn < 10; turn++) {
      now += 100
      await end()
    }
    ask('b', 4)
    ask('a', 2)
    while (begun.length < 18) {
      now += 100
      await end()
    }
    t.equal(begun.slice(10).join(''), 'abababab')
  })

  t.test('are shared evenly between waiting keys', async (t) => {
    const { begun, ask, end } = createTurns()
    ask('a', 8)
    ask('b', 8)
    await end(4)
    t.equal(begun.join(''), 'aaaabbaa')
  })

  t.test('are limited for keys that are slow now or were slow recently', async (t) => {
    let now = 0
    const slowness = { ms: 10, capacity: 2, except: 'own' }
    const { begun, ask, end, settled } = createTurns({ slowness, clock: () => now })
    ask('a')
    ask('b')
    now = 20
    for (const key of 'abcd') ask(key)
    await settled()
    t.equal(begun.join(''), 'abcd', 'quick keys come first')
    await end(2)
    t.equal(begun.join(''), 'abcdab', 'slow keys get one for each that ends')
    await end(2)
    ask('a')
    ask('own')
    ask('e')
    await settled()
    t.equal(begun.join(''), 'abcdabowne')
    now = 300
    await end(3)
    t.equal(begun.join(''), 'abcdabownea', 'slow keys also get their turn')
  })

  t.test('go first to a waiting key that is no longer slow', async (t) => {
    let now = 0
    const slowness = { ms: 10, capacity: 2 }
    const { begun, ask, end, settled } = createTurns({ slowness, clock: () => now })
    ask('b')
    await settled()
    now = 20
    await end()
    ask('a', 2)
    await settled()
    now = 40
    ask('b')
    await settled()
    t.strictSame(begun, ['b', 'a', 'a'], 'b was slow recently, and a is slow now')
    now = 1_000
    ask('c')
    await settled()
    t.strictSame(begun.slice(3), ['b', 'c'])
  })

  t.test('go first to the waiting key with the fewest turns', async (t) => {
    const { begun, ask, end, turns, settled } = createTurns({ capacity: 4 })
    ask('a', 8)
    ask('b', 8)
    await end(2)
    t.equal(begun.join(''), 'aaaabb')
    let quick = 0
    const asked = Array.from({ length: 5 }, () => turns.run('c', () => quick++))
    await end()
    await Promise.all(asked)
    await settled()
    t.equal(quick, 5, 'after one turn of another key, c gets all of its turns one by one')
    t.equal(begun.length, 7, 'then its turn goes to another key')
  })

  t.test('reach every waiting key, in any order', async (t) => {
    const { turns, begun, ask, end } = createTurns({ capacity: 3, reserve: 1 })
    for (let one = 0; one < 30; one++) ask('abcd'.charAt((one * one) % 4))
    await end(30)
    t.equal(begun.length, 30)
    t.equal(turns.queued, 0)
  })

  t.test('end only once, and also when their work fails', async (t) => {
    const turns = new Turns({ capacity: 1, longestQueue: 1 })
    const end = await turns.take('a')
    end()
    end()
    const first = await turns.take('a')
    const second = turns.take('a')
    t.type(second, Promise, 'the second end frees no other turn')
    first()
    ;(await second)()
    await t.rejects(
      turns.run('a', () => Promise.reject(new Error('no'))),
      /no/,
    )
    t.equal(await turns.run('a', () => 'next'), 'next')
  })
})

import { ContractError } from '../../src/errors.js'
import type { EndTurn } from '../../src/turns/turns.js'
import { t } from '../helpers/file.js'
import { createTurns } from '../helpers/turns.js'

t.test('Turns', async (t) => {
  t.test('are refused to the key with the most waiters when the queue is full', async (t) => {
    const { turns, begun, asked, ask, end } = createTurns({ capacity: 1, longestQueue: 3 })
    ask('a', 5)
    ask('b', 1)
    await end(4)
    const outcomes = await Promise.allSettled(asked)
    t.strictSame(
      outcomes.map(({ status }) => status === 'fulfilled'),
      [true, false, true, true, false, true],
    )
    t.equal(begun.join(''), 'aaba')
    t.equal(turns.queued, 0)
  })

  t.test(
    'are refused to one of several keys with as many waiters, and not to a new one',
    async (t) => {
      const losers = new Set<number>()
      for (let round = 0; round < 40; round++) {
        const { turns, begun, asked, ask, end } = createTurns({ capacity: 1, longestQueue: 3 })
        for (const key of 'abcde') ask(key)
        await end(4)
        const outcomes = await Promise.allSettled(asked)
        const refused = outcomes.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))
        t.equal(refused.length, 1)
        t.ok(begun.includes('a') && begun.includes('e'))
        t.equal(turns.queued, 0)
        for (const loser of refused) losers.add(loser)
      }
      t.strictSame([...losers].sort(), [1, 2, 3])
    },
  )

  t.test(
    'are refused to the key that has used the most time, also if it is the new one',
    async (t) => {
      let now = 0
      const clock = () => now
      const { begun, asked, ask, end } = createTurns({ capacity: 1, longestQueue: 2, clock })
      async function use(key: string, ms: number) {
        ask(key)
        now += ms
        await end()
      }
      await use('a', 40)
      await use('b', 50)
      await use('c', 60)
      for (const key of 'xabc') ask(key)
      ask('d')
      await end(3)
      const outcomes = await Promise.allSettled(asked)
      t.strictSame(
        outcomes.slice(3).map(({ status }) => status === 'fulfilled'),
        [true, true, false, false, true],
        'c is refused at once, and b for d',
      )
      t.equal(begun.slice(3).join(''), 'xda')
    },
  )

  t.test('reach a new key while 75 keys ask again after each refusal', async (t) => {
    let now = 0
    const { turns, settled } = createTurns({ capacity: 2, longestQueue: 64, clock: () => now })
    const take = async (key: string) => turns.take(key)
    const running: EndTurn[] = []
    let isOver = false
    let refused = 0
    async function askAgainAndAgain(key: string) {
      while (!isOver) {
        await take(key).then(
          (end) => running.push(end),
          () => refused++,
        )
        await settled()
      }
    }
    /** Ends the turn that began first. A turn takes as long as ten refusals of a key. */
    async function endOne() {
      for (let i = 0; i < 10; i++) await settled()
      now += 30
      running.shift()?.()
    }
    const storm = Array.from({ length: 75 }, (_, i) => askAgainAndAgain(`storm ${i}`))
    for (let i = 0; i < 150; i++) await endOne()
    for (let honest = 0; honest < 28; honest++) {
      const answer = take(`honest ${honest}`).then(
        (end) => {
          end()
          return 'begun'
        },
        () => 'refused',
      )
      let outcome: string | undefined
      answer.then((text) => {
        outcome = text
      })
      while (!outcome) await endOne()
      t.equal(outcome, 'begun')
    }
    isOver = true
    while (running.length > 0) {
      running.shift()?.()
      await settled()
    }
    await Promise.all(storm)
    t.ok(refused > 0)
  })

  t.test('are refused after a while, with the header Retry-After', async (t) => {
    const { turns, begun, asked, ask, end } = createTurns({ capacity: 1, patienceMs: 1 })
    ask('a', 2)
    const [, second] = await Promise.allSettled(asked)
    t.equal(second?.status, 'rejected')
    const reason = second?.status === 'rejected' ? second.reason : null
    t.type(reason, ContractError)
    t.match(reason, { statusCode: 503, headers: { 'retry-after': '1' } })
    t.equal(turns.queued, 0)
    await end()
    ask('b')
    await end()
    t.strictSame(begun, ['a', 'b'])
  })

  t.test('are given up by a waiting request after a signal', async (t) => {
    const { turns, begun, ask, end, settled } = createTurns({ capacity: 1 })
    ask('a')
    await settled()
    const leaving = new AbortController()
    const left = turns.take('a', leaving.signal)
    ask('b')
    leaving.abort()
    await t.rejects(Promise.resolve(left), /unavailable/)
    t.equal(turns.queued, 1)
    await end(2)
    t.strictSame(begun, ['a', 'b'])
    t.equal(turns.taken, 0)
  })
})

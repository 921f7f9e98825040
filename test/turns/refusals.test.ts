import { ContractError } from '../../src/errors.js'
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

  t.test('are refused to a new request when no other key has more waiters', async (t) => {
    const { turns, begun, asked, ask, end } = createTurns({ capacity: 1, longestQueue: 3 })
    for (const key of 'abcde') ask(key)
    await end()
    ask('c')
    ask('d')
    await end(4)
    const outcomes = await Promise.allSettled(asked)
    t.strictSame(
      outcomes.map(({ status }) => status === 'fulfilled'),
      [true, true, true, true, false, true, false],
    )
    t.equal(begun.join(''), 'abcdc')
    t.equal(turns.queued, 0)
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

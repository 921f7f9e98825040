import { Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { streamOf } from '../../src/http/streams.js'
import { t } from '../helpers/file.js'

/** Runs all pending callbacks. */
async function runPending() {
  for (let turn = 0; turn < 20; turn++) await setImmediate()
}

/** A connection that accepts a piece only on request. */
function createConnection() {
  const taken: string[] = []
  let take = () => {}
  const connection = new Writable({
    highWaterMark: 1,
    write(piece, _encoding, done) {
      take = () => {
        taken.push(String(piece))
        done()
      }
    },
  })
  return { connection, taken, take: () => take() }
}

t.test('streamOf', async (t) => {
  t.test('makes a piece after the connection has taken the previous one', async (t) => {
    const made: string[] = []
    let isOver = false
    async function* pieces() {
      try {
        for (const piece of ['first', '', 'second', 'third']) {
          made.push(piece)
          yield piece
        }
      } finally {
        isOver = true
      }
    }
    const { connection, taken, take } = createConnection()
    const answer = streamOf(pieces())
    answer.pipe(connection)
    await runPending()
    t.strictSame([made, taken], [['first'], []])
    take()
    await runPending()
    t.strictSame([made, taken], [['first', '', 'second'], ['first']])
    t.notOk(isOver)
    answer.destroy()
    await runPending()
    t.ok(isOver, 'the source of the pieces ends when the reader leaves')
    t.equal(made.length, 3)
  })

  t.test('sends all pieces, text and bytes, and fails when they fail', async (t) => {
    async function* pieces() {
      yield 'ü'
      yield Buffer.from('b')
      throw new Error('broken')
    }
    const got: string[] = []
    const reading = async () => {
      for await (const piece of streamOf(pieces())) got.push(String(piece))
    }
    await t.rejects(reading(), /broken/)
    t.strictSame(got, ['ü', 'b'])
  })
})

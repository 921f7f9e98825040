import { Writable } from 'node:stream'
import { streamOf } from '../src/http/streams.js'
import { t } from './helpers/file.js'

const settled = () => new Promise((resolve) => setTimeout(resolve, 10))

/** A connection that takes a piece when it is told to. */
function connectionOf() {
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
  t.test('makes a piece when the connection has taken the one before', async (t) => {
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
    const { connection, taken, take } = connectionOf()
    const answer = streamOf(pieces())
    answer.pipe(connection)
    await settled()
    t.strictSame([made, taken], [['first'], []])
    take()
    await settled()
    t.strictSame([made, taken], [['first', '', 'second'], ['first']])
    t.notOk(isOver)
    answer.destroy()
    await settled()
    t.ok(isOver, 'what makes the pieces hears that the reader is gone')
    t.equal(made.length, 3)
  })

  t.test('sends all pieces, text and bytes, and fails as they do', async (t) => {
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

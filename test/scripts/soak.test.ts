import { Ledger, type Request, slowMs } from '../../scripts/bench/soak/ledger.js'
import { requireLoopback } from '../../scripts/bench/soak/loopback.js'
import { t } from '../helpers/file.js'

const request = (given: Partial<Request>): Request => ({
  what: 'read',
  sentAt: 100_000,
  ms: 5,
  status: 200,
  storm: 'imports',
  isRepeat: false,
  ...given,
})

t.test('The soak', async (t) => {
  t.test(
    'counts errors, missing answers and late answers as unfair, but no repeated write',
    async (t) => {
      const ledger = new Ledger()
      const bad = [
        request({ status: 500 }),
        request({ status: 503 }),
        request({ status: 409 }),
        request({ status: null }),
        request({ ms: slowMs + 1 }),
      ]
      const good = [request({}), request({ status: 201 }), request({ status: 409, isRepeat: true })]
      for (const one of [...good, ...bad]) ledger.note(one)
      t.strictSame(ledger.unfair(), bad)
    },
  )

  t.test(
    'excuses requests in progress at a kill or sent in the three seconds after it',
    async (t) => {
      const ledger = new Ledger()
      ledger.kills.push(50_000)
      const before = request({ sentAt: 49_000, ms: 999, status: null })
      const across = request({ sentAt: 49_000, ms: 1_001, status: null })
      const soon = request({ sentAt: 53_000, status: 503 })
      const late = request({ sentAt: 53_001, status: 503 })
      for (const one of [before, across, soon, late]) ledger.note(one)
      t.strictSame(ledger.unfair(), [before, late])
      t.strictSame(ledger.bad(), [before, across, soon, late])
    },
  )

  t.test('finds lost acknowledged writes', async (t) => {
    const ledger = new Ledger()
    for (const text of ['one', 'two', 'three']) ledger.acknowledge('message', text)
    ledger.acknowledge('branding', 'four')
    t.strictSame(ledger.lost('message', new Set(['one', 'three', 'more'])), ['two'])
    t.equal(ledger.countOf('message'), 3)
    t.strictSame(ledger.lost('invitation', new Set()), [])
  })

  t.test('refuses servers on other machines', async (t) => {
    for (const server of [
      'postgres://postgres@127.0.0.1:5432/postgres',
      'postgres://localhost/postgres',
      'postgres://[::1]/postgres',
      'postgres://localhost/postgres?host=/var/run/postgresql',
    ]) {
      t.equal(requireLoopback(server), server)
    }
    for (const server of [
      'postgres://db.example/postgres',
      'postgres://10.0.0.1/postgres',
      'postgres://127.0.0.1.example/postgres',
      'postgres://localhost/postgres?host=db.example',
    ]) {
      t.throws(() => requireLoopback(server), /on the loopback only/)
    }
  })
})

import { once } from 'node:events'
import { Socket } from 'node:net'
import type { Worker } from 'node:worker_threads'
import { runBounded } from '../../src/experiment-results/bounded-turn.js'
import { compareInWorker } from '../../src/experiment-results/comparison/analysis.js'
import { Turns } from '../../src/turns/turns.js'
import { operationOf } from '../helpers/contract.js'
import { decision, openLab } from '../helpers/experiments.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { until } from '../helpers/until.js'

const service = await startService(t, {}, { isAlone: true })
const { app, db, url } = service
const admin = await service.registerAdmin()
const { draft, conclude, results, run } = openLab(service, admin)
const played = { joined: [admin.user_id], lines: [{ by: 'participant', minute: 1 } as const] }

async function runningExperiment(size: number): Promise<string> {
  const _id = await draft()
  const arm = Array.from({ length: size }, () => played)
  await run(_id, { control: arm, intervention: arm })
  return _id
}

/** Calls `begin` with each thread that starts during a test. */
function watchThreads(t: { teardown(run: () => void): unknown }, begin: (worker: Worker) => void) {
  process.on('worker', begin)
  t.teardown(() => process.off('worker', begin))
}

const _refusal = { status: 503, body: { code: 'unavailable' } }

/** Data that keeps a thread busy for minutes. */
const endless = [
  {
    outcome: 'messages',
    units: Array.from({ length: 60 }, (_, i) => {
      return {
        arm: i % 2 ? ('control' as const) : ('intervention' as const),
        block: null,
        value: i,
      }
    }),
  },
]
const options = { alpha: 0.05, seed: 'seed', draws: 50_000_000 }

t.test('An aborted signal ends an analysis and its thread', async (t) => {
  const controller = new AbortController()
  const ended = new Promise<number>((resolve) => {
    watchThreads(t, (worker) => {
      worker.once('exit', resolve)
      worker.once('online', () => controller.abort())
    })
  })
  await t.rejects(compareInWorker(endless, options, controller.signal), { message: 'unavailable' })
  t.equal(await ended, 1)
  await t.rejects(compareInWorker(endless, options, controller.signal), { message: 'unavailable' })
})

t.test('A turn that takes too long aborts its signal and ends', async (t) => {
  const turns = new Turns({ capacity: 1 })
  const socket = new Socket()
  const untilAborted = (signal: AbortSignal) => once(signal, 'abort')
  await runBounded(turns, { key: 'a', socket }, untilAborted, 1)
  t.equal(turns.taken, 0)
  t.equal(socket.listenerCount('close'), 0)
})

t.test('concludeExperiment', async (t) => {
  t.test('stops when the client closes its connection', async (t) => {
    // More allocations than can be compared before the connection closes.
    const _id = await runningExperiment(15)
    const client = new AbortController()
    const { method, path } = operationOf('concludeExperiment')
    const codes: number[] = []
    watchThreads(t, (worker) => {
      worker.once('exit', (code) => codes.push(code))
      worker.once('online', () => client.abort())
    })
    const asked = fetch(url + path.replace('{experiment_id}', _id), {
      method,
      headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(decision),
      signal: client.signal,
    })
    await t.rejects(asked, { name: 'AbortError' })
    await until(() => codes.length === 1 && app.analyses.taken === 0)
    t.strictSame(codes, [1], 'the thread was terminated')
    t.equal((await results(_id)).body.conclusion, null)
  })

  t.test('is refused when the experiment changes during the analysis', async (t) => {
    const _id = await runningExperiment(2)
    const { slices } = app
    const { pauseOf } = slices
    slices.pauseOf = (key, isWanted) => {
      const pause = pauseOf.call(slices, key, isWanted)
      return async () => {
        const updated_at = new Date().toISOString()
        await db.updateTable('experiments').set({ updated_at }).where('_id', '=', _id).execute()
        return pause()
      }
    }
    const answer = await conclude(_id)
    slices.pauseOf = pauseOf
    t.match(answer, { status: 409, body: { code: 'busy' } })
    t.equal(answer.headers.get('retry-after'), '1')
    t.equal((await conclude(_id)).status, 200)
  })
})

import { Worker } from 'node:worker_threads'
import { unavailable } from '../../errors.js'
import type { Comparison, Options } from './comparison.js'
import type { Unit } from './trial.js'

interface OutcomeUnits {
  outcome: string
  units: readonly Unit[]
}

/** The input of the worker thread in `analysis-worker.ts`. */
export interface Analysis {
  outcomes: readonly OutcomeUnits[]
  options: Options
}

/**
 * Compares the arms in each outcome. This can take seconds, so it runs in a thread of its own. The
 * thread has ended when this resolves or rejects. If the signal is aborted, the thread is
 * terminated and this throws 503.
 */
export async function compareInWorker(
  outcomes: readonly OutcomeUnits[],
  options: Options,
  signal?: AbortSignal,
): Promise<Comparison[]> {
  if (signal?.aborted) throw unavailable()
  const workerData: Analysis = { outcomes, options }
  const module = new URL(
    import.meta.resolve('#dist/src/experiment-results/comparison/analysis-worker.js'),
  )
  return new Promise((resolve, reject) => {
    const worker = new Worker(module, { workerData, execArgv: [] })
    let comparisons: Comparison[] | undefined
    worker.once('message', (message: Comparison[]) => {
      comparisons = message
    })
    worker.once('error', reject)
    const terminate = () => void worker.terminate()
    signal?.addEventListener('abort', terminate, { once: true })
    worker.once('exit', (code) => {
      signal?.removeEventListener('abort', terminate)
      if (comparisons) resolve(comparisons)
      else if (signal?.aborted) reject(unavailable())
      else reject(new Error(`The analysis ended with ${code} and without a result`))
    })
  })
}

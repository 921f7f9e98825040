import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'

type Stop = Parameters<closeWithGrace.CloseWithGraceAsyncCallback>[0]

/** How long requests in flight may take once the door is closed. */
const graceMs = 15_000

/** How often is looked for connections on which nothing is in flight any more. */
const sweepMs = 100

/** What a crash raises: handled, it comes again for ever instead of ending the process. */
const crashes: closeWithGrace.Options['skip'] = [
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGSEGV',
  'SIGTRAP',
]

/**
 * Ends the process when it is told to or after an error nobody caught, as soon as `close` is done.
 * `drainSeconds` is how long `close` may take before the door is closed.
 */
export function closeOnSignals(
  log: FastifyBaseLogger,
  drainSeconds: number,
  close: (stop: Stop) => Promise<void>,
): void {
  const delay = drainSeconds * 1_000 + graceMs
  closeWithGrace({ delay, logger: log, skip: crashes }, async (stop) => {
    ignoreFurtherSignals()
    if (stop.err) log.fatal({ err: stop.err }, 'stopping after an error')
    else log.info({ signal: stop.signal }, 'stopping')
    await close(stop)
    log.info('stopped')
  })
}

/**
 * A Ctrl+C reaches this process from the terminal and once more from npm or the parent process: the
 * second one must not cut short what the first one lets finish.
 */
function ignoreFurtherSignals(): void {
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    process.removeAllListeners(signal)
    process.on(signal, () => {})
  }
}

/** Serves for as long as balancers need to read from `/ready` that nothing should come any more. */
export async function drain(app: FastifyInstance, seconds: number): Promise<void> {
  app.isDraining = true
  if (seconds === 0) return
  app.log.info({ seconds }, 'draining')
  await wait(seconds * 1_000)
}

/**
 * Closes, while the service closes, each connection once nothing is in flight on it. Node does so
 * only with those that are idle at the beginning, and never with those that have sent nothing yet.
 */
export function closeIdleConnections(app: FastifyInstance): void {
  const { server } = app
  // Node keeps on a socket the answer that is under way; its own idle check looks there as well.
  const sockets = new Set<Socket & { _httpMessage?: ServerResponse | null }>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const closeIdle = server.closeIdleConnections.bind(server)
  // Node takes an answer for done that is written but not sent, and would cut it short.
  server.closeIdleConnections = () => {
    if ([...sockets].every(({ writableLength }) => writableLength === 0)) closeIdle()
  }
  const sweep = () => {
    server.closeIdleConnections()
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }

  let timer: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    // So that nobody sends another request on a connection that is about to be closed.
    for (const { _httpMessage: answer } of sockets) {
      if (answer && !answer.headersSent) answer.setHeader('connection', 'close')
    }
    timer = setInterval(sweep, sweepMs)
  })
  app.addHook('onClose', async () => clearInterval(timer))
}

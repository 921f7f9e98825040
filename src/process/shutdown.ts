import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'

type Stop = Parameters<closeWithGrace.CloseWithGraceAsyncCallback>[0]

/** How long running requests may take after the server has stopped listening. */
const graceMs = 15_000

/** How often idle connections are closed. */
const sweepMs = 100

/** Signals of a crash. With a handler they would be raised for ever instead of ending the process. */
const crashes: closeWithGrace.Options['skip'] = [
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGSEGV',
  'SIGTRAP',
]

const stopSignals = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const
const ignore = () => {}

/**
 * Ends the process on a signal or an uncaught error, after `close` is done. `drainSeconds` is how long
 * `close` may take before the server stops listening.
 */
export function closeOnSignals(
  log: FastifyBaseLogger,
  drainSeconds: number,
  close: (stop: Stop) => Promise<void>,
): void {
  const delay = drainSeconds * 1_000 + graceMs
  // From the start: at a moment without any listener, a second signal would end the process at once.
  for (const signal of stopSignals) process.on(signal, ignore)
  closeWithGrace({ delay, logger: log, skip: crashes }, async (stop) => {
    ignoreFurtherSignals()
    if (stop.err) log.fatal({ err: stop.err }, 'stopping after an error')
    else log.info({ signal: stop.signal }, 'stopping')
    await close(stop)
    log.info('stopped')
  })
}

/**
 * A Ctrl+C reaches this process from the terminal and again from npm or the parent process. The second
 * signal must not end what the first one lets finish.
 */
function ignoreFurtherSignals(): void {
  for (const signal of stopSignals) {
    for (const listener of process.listeners(signal)) {
      if (listener !== ignore) process.removeListener(signal, listener)
    }
  }
}

/** Keeps serving until load balancers have seen from `/ready` that the service is about to stop. */
export async function drain(app: FastifyInstance, seconds: number): Promise<void> {
  app.isDraining = true
  if (seconds === 0) return
  app.log.info({ seconds }, 'draining')
  await wait(seconds * 1_000)
}

/**
 * Closes each connection as soon as it is idle, while the service closes. Node closes only those that
 * are idle at the beginning, and never those that have not sent anything.
 */
export function closeIdleConnections(app: FastifyInstance): void {
  const { server } = app
  // Node stores the current answer on the socket. Its own check for idle connections reads it too.
  const sockets = new Set<Socket & { _httpMessage?: ServerResponse | null }>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const closeIdle = server.closeIdleConnections.bind(server)
  // Node counts an answer as done when it is written but not sent, and would cut it off.
  server.closeIdleConnections = () => {
    if ([...sockets].every(({ writableLength }) => writableLength === 0)) closeIdle()
  }
  const sweep = () => {
    server.closeIdleConnections()
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }

  let timer: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    // So that clients send no other request on a connection that is about to be closed.
    for (const { _httpMessage: answer } of sockets) {
      if (answer && !answer.headersSent) answer.setHeader('connection', 'close')
    }
    timer = setInterval(sweep, sweepMs)
  })
  app.addHook('onClose', async () => clearInterval(timer))
}

import { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PGlite } from '@electric-sql/pglite'

/**
 * How long queries may block the event loop. Short, because Node accepts only one connection in each
 * turn of the loop.
 */
const turnMs = 1

interface Written {
  chunk: Buffer
}
type Done = (error?: Error | null) => void

/**
 * What pg uses in place of the socket to a server: it passes messages of PostgreSQL's protocol to PGlite, and
 * the answers back. All messages of a statement go in one call. PGlite's own `query` makes six.
 */
export class EmbeddedSocket extends Duplex {
  readonly #pglite: PGlite
  #turnedAt = performance.now()

  constructor(pglite: PGlite) {
    super()
    this.#pglite = pglite
  }

  /** PGlite has only one session. So a new connection first ends what a broken one has left. */
  connect(): void {
    this.#reset().then(
      () => this.emit('connect'),
      (error) => this.destroy(error),
    )
  }

  async #reset(): Promise<void> {
    await this.#pglite.exec('rollback')
    await this.#pglite.exec('discard all')
  }

  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this._writev([{ chunk }], done)
  }

  override _writev(written: Written[], done: Done): void {
    this.#send(Buffer.concat(written.map(({ chunk }) => chunk))).then(() => done(), done)
  }

  override _final(done: Done): void {
    this.push(null)
    done()
  }

  async #send(message: Buffer): Promise<void> {
    if (performance.now() - this.#turnedAt >= turnMs) {
      // PGlite's queries never let the event loop turn by themselves.
      await nextTurn()
      this.#turnedAt = performance.now()
    }
    const answer: Buffer[] = []
    // `execProtocolRaw` would also parse each answer, and keep it for ever. The data is in PGlite's memory,
    // which the next call overwrites.
    const onRawData = (data: Uint8Array) => void answer.push(Buffer.from(data))
    await this.#pglite.execProtocolRawStream(message, { onRawData })
    if (answer.length > 0) this.push(Buffer.concat(answer))
  }
}

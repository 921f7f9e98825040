import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { batchesOf } from '../database/batches.js'
import type { Database } from '../database/schema.js'
import { Turns } from '../turns/turns.js'
import { selectAllowed } from './access-queries.js'
import type { SessionStream } from './stream.js'

/** How many readers one statement asks for. */
const mostReaders = 500

type Reading = Pick<SessionStream, 'reader' | 'end'> & { session: { _id: string } }

interface Options {
  dbOf(organization_id: string): Kysely<Database>
  log: Pick<FastifyBaseLogger, 'warn'>
}

/**
 * Ends the streams of readers who have lost what let them read. Each organization is asked for by
 * itself, a few at a time: where its statements are slow or fail, those of others go on.
 */
export class AccessChecks {
  readonly #options: Options
  readonly #turns = new Turns({ capacity: 4, slowness: { ms: 500, most: 2 } })
  /** The check of each organization, by its id. */
  readonly #underWay = new Map<string, Promise<void>>()

  #isStopped = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Begins a check. An organization whose last one is still under way is left for the next time. */
  run(streams: Iterable<Reading>): void {
    for (const [organization_id, own] of byOrganization(streams)) {
      if (!this.#underWay.has(organization_id)) this.#begin(organization_id, own)
    }
  }

  /** Begins with no other organization, and waits for those under way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#underWay.values())
  }

  #begin(organization_id: string, streams: Reading[]): void {
    const { dbOf, log } = this.#options
    const ask = async () => {
      if (!this.#isStopped) await endForbidden(dbOf(organization_id), organization_id, streams)
    }
    const check = this.#turns
      .run(organization_id, ask)
      .catch((err) => log.warn({ err, organization_id }, 'readers are not checked for now'))
      .finally(() => this.#underWay.delete(organization_id))
    this.#underWay.set(organization_id, check)
  }
}

function byOrganization(streams: Iterable<Reading>): Map<string, Reading[]> {
  const all = new Map<string, Reading[]>()
  for (const stream of streams) {
    const { organization_id } = stream.reader
    const own = all.get(organization_id)
    if (own) own.push(stream)
    else all.set(organization_id, [stream])
  }
  return all
}

async function endForbidden(db: Kysely<Database>, organization_id: string, streams: Reading[]) {
  for (const some of batchesOf(streams, mostReaders)) {
    const readers = some.map(({ reader, session }) => ({ reader, session_id: session._id }))
    const allowed = await selectAllowed(db, organization_id, readers)
    for (const [i, stream] of some.entries()) if (!allowed.has(i)) stream.end()
  }
}

import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Kysely } from 'kysely'
import type { FetchInTurn } from '../database/long-lists.js'
import type { Database } from '../database/schema.js'
import type { Scope } from '../database/scope.js'
import type { Pause } from '../turns/slices.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The address of the client; of IPv6 the network of 64 bits, which one client has to itself. */
    readonly network: string
    /** Whose turns the request takes: those of its organization, or of a stranger's address. */
    readonly turnKey: string
    /** The database in these turns. */
    readonly db: Kysely<Database>
    /** The database that a list is read from, which may be a replica. */
    dbForReading(scope: Scope): Promise<Kysely<Database>> | Kysely<Database>
    /** Fetches a piece of a long answer in these turns. */
    readonly fetchInTurn: FetchInTurn
    /**
     * Lets other requests go on while this one keeps the event loop busy. Throws when the client has
     * closed its connection.
     */
    readonly pause: Pause
    /** The same within a transaction, which waits for other transactions only. */
    readonly pauseInTransaction: Pause
  }
}

/** Gives each request what it takes in turn with those of other organizations. */
async function takeTurns(app: FastifyInstance): Promise<void> {
  app.decorateRequest('network', {
    getter() {
      return normalizeIP(this.ip)
    },
  })
  app.decorateRequest('turnKey', {
    getter() {
      return this.caller?.organization_id ?? this.network
    },
  })
  app.decorateRequest('db', {
    getter() {
      return this.server.dbOf(this.turnKey)
    },
  })
  app.decorateRequest('fetchInTurn', {
    getter() {
      const { server, turnKey } = this
      return (fetch) => server.longAnswers.run(turnKey, fetch)
    },
  })
  app.decorateRequest('pause', { getter: pauseGetter({ inTransaction: false }) })
  app.decorateRequest('pauseInTransaction', { getter: pauseGetter({ inTransaction: true }) })
  app.decorateRequest('dbForReading', function (scope) {
    return this.server.dbForReading(scope, this.turnKey)
  })
}

/** Each request has one pause of a kind, which knows when its slice began. */
function pauseGetter({ inTransaction }: { inTransaction: boolean }) {
  const pauses = new WeakMap<FastifyRequest, Pause>()
  return function (this: FastifyRequest): Pause {
    const { server, socket, turnKey } = this
    const isWanted = () => !socket.destroyed
    const pause = pauses.get(this) ?? server.slices.pauseOf(turnKey, { isWanted, inTransaction })
    pauses.set(this, pause)
    return pause
  }
}

export const requestTurns = fp(takeTurns, {
  name: 'request-turns',
  decorators: { fastify: ['dbOf', 'dbForReading', 'longAnswers', 'slices'] },
})

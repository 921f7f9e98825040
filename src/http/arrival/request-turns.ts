import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { FetchInTurn } from '../../database/lists/long-lists.js'
import type { Db } from '../../database/schema.js'
import { networkOf, prefixes } from '../../identity/network.js'
import type { Pause } from '../../turns/slices.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's IPv4 address, or its IPv6 network of 56 bits, which belongs to one client. */
    network: string
    /** The key of its turns: the organization of the caller, or the address of an unknown caller. */
    readonly turnKey: string
    /** The database, in turns of `turnKey`. */
    readonly db: Db
    /** Fetches a piece of a long answer, in turns of `turnKey`. */
    readonly fetchInTurn: FetchInTurn
    /**
     * Lets other requests run while this one keeps the event loop busy. Throws if the client has closed
     * its connection.
     */
    readonly pause: Pause
    /** The same within a transaction. It waits only for other transactions. */
    readonly pauseInTransaction: Pause
  }
}

/** Adds to each request what it takes in turns with other organizations. */
async function takeTurns(app: FastifyInstance): Promise<void> {
  app.decorateRequest('network', '')
  // At once: a socket that is closed forgets its address.
  app.addHook('onRequest', (request, _reply, done) => {
    request.network = networkOf(request.ip ?? '', prefixes.home)
    done()
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
}

/** Each request has one pause of each kind, because a pause knows when its slice began. */
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
  decorators: { fastify: ['dbOf', 'longAnswers', 'slices'] },
})

import type { IncomingMessage } from 'node:http'
import fp from 'fastify-plugin'
import type { Config } from '../../process/config.js'

/** An IPv4 address with a port, or an IPv6 address in brackets, with or without one (RFC 7239, 6). */
const withPort = /^"?(?:(\d+(?:\.\d+){3}):\d+|\[([^\]]*)\](?::\d+)?)"?$/

/**
 * Returns the proxies that Fastify trusts. A number trusts that many, beginning with the nearest:
 * Fastify would trust none, because a client that reaches the service directly could be the nearest.
 */
export const trustedProxies = (proxies: Config['trustProxy']) =>
  typeof proxies === 'number' ? (_address: string, hop: number) => hop < proxies : proxies

/**
 * Removes ports from the addresses in X-Forwarded-For: some load balancers append one, and each port
 * would count as another client. Warns once about this header if no proxy is trusted.
 */
export const forwarded = fp(
  async ({ config, log, server }) => {
    const read = config.trustProxy ? removePorts : warn
    // Before Fastify reads the header.
    server.prependListener('request', read)

    function warn({ headers }: IncomingMessage): void {
      if (headers['x-forwarded-for'] === undefined) return
      server.off('request', warn)
      log.warn(
        'a request has X-Forwarded-For, but TRUST_PROXY is off: limits count the proxy, not callers',
      )
    }
  },
  { name: 'forwarded', decorators: { fastify: ['config'] } },
)

function removePorts({ headers }: IncomingMessage): void {
  const given = headers['x-forwarded-for']
  if (typeof given !== 'string' || !given.includes(':')) return
  headers['x-forwarded-for'] = given.split(',').map(addressOf).join(',')
}

function addressOf(text: string): string {
  const address = text.trim()
  const [, ipv4, ipv6] = withPort.exec(address) ?? []
  return ipv4 ?? ipv6 ?? address
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]', '::1'])

/** Throws unless a database server is on this machine, so that no other one is ever stormed. */
export function requireLoopback(server: string): string {
  const { hostname, searchParams } = new URL(server)
  const host = searchParams.get('host') ?? hostname
  if (loopback.has(host) || host.startsWith('/')) return server
  throw new Error(`The soak works on the loopback only: ${host} is another machine`)
}

import pg from 'pg'

/** What a peer is given by the environment, under the names that the service has for it. */
export function readPeerEnvironment() {
  const { DATABASE_URL, DATABASE_POOL_MAX, PORT } = process.env
  return { databaseUrl: DATABASE_URL ?? '', poolMax: Number(DATABASE_POOL_MAX), port: Number(PORT) }
}

export function openPool(): pg.Pool {
  const { databaseUrl, poolMax } = readPeerEnvironment()
  return new pg.Pool({ connectionString: databaseUrl, max: poolMax, options: '-c TimeZone=UTC' })
}

/** Refused with a status; the peers do not care to say why. */
export class Refusal extends Error {
  constructor(readonly statusCode: number) {
    super(`Refused with ${statusCode}`)
  }
}

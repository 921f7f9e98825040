import type { Kysely } from 'kysely'
import type { TAP } from 'tap'
import { buildApp } from '../../src/app.js'
import type { Database } from '../../src/database/schema.js'
import { readConfig } from '../../src/process/config.js'

/** Another process on the same database from a caller's point of view: it has separate memory. */
export async function startAnotherProcess(t: Pick<TAP, 'teardown'>, db: Kysely<Database>) {
  const config = readConfig({ LOG_LEVEL: 'silent', RATE_LIMIT: 'off' })
  const app = await buildApp({ config, db, jwtSecrets: ['a secret for tests, 32 bytes long'] })
  t.teardown(() => app.close())
  return {
    async refresh(refresh_token: string) {
      const url = '/api/v1/auth/refresh'
      return (await app.inject({ method: 'POST', url, payload: { refresh_token } })).json()
    },
    /** The status of its answer to the holder of an access token. */
    async me(token: string) {
      const headers = { authorization: `Bearer ${token}` }
      return (await app.inject({ url: '/api/v1/auth/me', headers })).statusCode
    },
    /** Lets its memory of a user expire. */
    forget: (user_id: string) => app.authenticator.invalidate(user_id),
  }
}

import type { Kysely } from 'kysely'
import type { TAP } from 'tap'
import { buildApp } from '../../src/app.js'
import type { Database } from '../../src/database/schema.js'
import { readConfig } from '../../src/process/config.js'

/** Starts the app again on the same database, with separate memory like another process. */
export async function startAnotherProcess(t: Pick<TAP, 'teardown'>, db: Kysely<Database>) {
  const config = readConfig({ LOG_LEVEL: 'silent', RATE_LIMIT: 'off' })
  const app = await buildApp({ config, db, jwtSecrets: ['a secret for tests, 32 bytes long'] })
  t.teardown(() => app.close())
  return {
    async refresh(refresh_token: string) {
      const url = '/api/v1/auth/refresh'
      return (await app.inject({ method: 'POST', url, payload: { refresh_token } })).json()
    },
    /** Returns the status of its answer to an access token. */
    async me(token: string) {
      const headers = { authorization: `Bearer ${token}` }
      return (await app.inject({ url: '/api/v1/auth/me', headers })).statusCode
    },
    /** Removes a user from its memory, as if the entry had expired. */
    forget: (user_id: string) => app.authenticator.invalidate(user_id),
  }
}

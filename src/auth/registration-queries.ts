import { sql } from 'kysely'
import { type ParametersOf, prepare } from '../database/statements.js'
import { credentialInsert } from '../identity/credentials.js'
import {
  refreshTokenInsert,
  sessionInsert,
} from '../identity/login-sessions/login-session-queries.js'
import { brandingInsert } from '../organizations/branding-queries.js'
import { organizationInsert } from '../organizations/queries.js'
import { adminInsert, type FirstAdmin } from '../users/admin-queries.js'

interface Registration extends FirstAdmin {
  name: string
  password_hash: string
  session_id: string
  expires_at: string
  token_hash: string
}

/**
 * Inserts an organization with its first admin and a login session. It is one statement, because each
 * statement costs PostgreSQL as much as its row. The e-mail address is inserted separately, because
 * its table is distributed in another way.
 */
export const insertRegistration = prepare(
  'insert_registration',
  (db, registration: ParametersOf<Registration>) => {
    const { name, password_hash, session_id, expires_at, token_hash, ...admin } = registration
    const { organization_id, _id: user_id } = admin
    const organization = { _id: organization_id, name }
    const noSeat = { simulation_session_id: null, assignment_id: null }
    const session = { organization_id, _id: session_id, user_id, expires_at, ...noSeat }
    return db
      .with('organization', () => organizationInsert(db, organization, { verified_at: null }))
      .with('branding', () => brandingInsert(db, organization))
      .with('admin', () => adminInsert(db, admin))
      .with('credential', () => credentialInsert(db, { organization_id, user_id, password_hash }))
      .with('session', () => sessionInsert(db, session))
      .with('token', () => refreshTokenInsert(db, { organization_id, session_id, token_hash }))
      .selectNoFrom(sql.lit(1).as('inserted'))
  },
)

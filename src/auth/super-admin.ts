import { recordAuditEvents } from '../audit-events/record.js'
import type { Db } from '../database/schema.js'
import { createId } from '../formats/identifiers.js'
import { changeAccess } from '../identity/access-changes.js'
import { setPassword } from '../identity/credentials.js'
import { addressIn, isEmail } from '../identity/email.js'
import type { Passwords } from '../identity/password.js'
import { insertEmail, insertUsers, selectOwnerOfEmail } from '../users/queries.js'
import { usernameFromEmail } from '../users/username.js'
import * as queries from './queries.js'

/** The name of the organization that the first super administrator creates. */
const homeName = 'Operators'

/**
 * Creates a super administrator, which no request can do. They join the organization of the other super
 * administrators, or a new one. Throws if the e-mail address or the password is not valid.
 */
export async function createSuperAdmin(
  db: Db,
  passwords: Passwords,
  { email: given, password }: { email: string; password: string },
) {
  const email = addressIn(given)
  if (!isEmail(given) || email.length > 254) {
    throw new Error('The e-mail address must have the form x@y, with at most 254 characters.')
  }
  if (password.length < 8 || password.length > 128) {
    throw new Error('The password must have 8 to 128 characters.')
  }
  const password_hash = await passwords.hash(password, homeName)

  return changeAccess(db, async (trx) => {
    if (await selectOwnerOfEmail(trx, email)) {
      throw new Error('An account with this e-mail already exists.')
    }
    const organization_id = await queries.selectOrInsertHome(trx, homeName)
    const names = { username: usernameFromEmail(email), full_name: null }
    const user = { ...names, organization_id, _id: createId(), email, role: 'super_admin' as const }
    await insertEmail(trx, user)
    const [inserted] = await insertUsers(trx, [user])
    await setPassword(trx, { organization_id, user_id: user._id, password_hash })
    const event = { organization_id, category: 'auth', event_type: 'super_admin_created' }
    await recordAuditEvents(trx, { id: createId(), caller: null }, [
      { ...event, actor_type: 'system', metadata: { user_id: user._id } },
    ])
    return { ...user, ...inserted }
  })
}

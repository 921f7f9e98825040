import { signal } from '@preact/signals'
import { ApiError } from '../../client/client.js'
import type { Schema } from '../shared/forms/schema.js'
import { endLogin, logOut, service } from '../shared/service.js'
import roles from './roles.json'

/** The user who is logged in. */
export const me = signal<Schema<'CurrentUser'> | null>(null)
/** Whether the user has logged in with a temporary password. */
export const mustChangePassword = signal(false)

/** Reads who is logged in. Only another operation tells whether their password is temporary. */
export async function readMe(): Promise<void> {
  const { data } = await service.api.GET('/api/v1/auth/me')
  mustChangePassword.value = false
  try {
    await service.api.GET('/api/v1/simulation/sessions', { params: { query: { limit: 1 } } })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'password_change_required') throw error
    mustChangePassword.value = true
  }
  me.value = data
}

/** Whether the contract lets the user's role call an operation. */
export function may(operation: keyof typeof roles): boolean {
  const role = me.value?.user.role
  const allowed: string[] = roles[operation]
  return role != null && allowed.includes(role)
}

/** Whether the user may rate a session: trainers may, and the executives whom it names. */
export const mayRate = (session: Pick<Schema<'SimulationSession'>, 'rater_ids'> | null) =>
  may('rateSession') &&
  (may('updateSession') || session?.rater_ids.includes(me.value?.user._id ?? '') === true)

/** Ends the login. A service that cannot be reached ends it later by itself. */
export async function leave(): Promise<void> {
  await endLogin()
  logOut()
  me.value = null
}

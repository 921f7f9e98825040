import { ApiError, type Tokens } from '../../client/client.js'
import { endLogin, logIn, logOut, service } from '../shared/service.js'
import { forgetMe } from './known.js'
import { forgetPlace, leaveRoom } from './place.js'
import { me, storePlace, view } from './state.js'

/** Shows the sessions of a person with an account. */
export async function chooseSession(): Promise<void> {
  leaveRoom()
  view.value = { name: 'opening' }
  try {
    const { data } = await service.api.GET('/api/v1/auth/me')
    me.value = data.user._id ?? ''
    view.value = { name: 'sessions' }
  } catch (error) {
    // Guests have no other sessions, and may not ask for them.
    if (error instanceof ApiError && [401, 403].includes(error.status)) toLogin()
    else view.value = { name: 'fault', error, retry: () => void chooseSession() }
  }
}

/** Begins the login of a person with an account, who no longer needs the link of a guest. */
export async function enterAccount(tokens: Tokens): Promise<void> {
  logIn(tokens)
  forgetPlace()
  await chooseSession()
}

/** Shows the login. The place and what was written in it are kept. */
export function toLogin(): void {
  leaveRoom()
  logOut()
  view.value = { name: 'login' }
}

/** Ends the login, and forgets all that was kept for the person. A service that cannot be reached ends it later by itself. */
export async function logOutHere(): Promise<void> {
  await endLogin()
  forgetMe()
  forgetPlace()
  toLogin()
}

/** Leaves a session, and shows the others of the same person. */
export async function backToSessions(): Promise<void> {
  storePlace(null)
  await chooseSession()
}

export const isCode = (error: unknown, code: string): error is ApiError =>
  error instanceof ApiError && error.code === code

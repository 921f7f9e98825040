import { signal } from '@preact/signals'
import type { Tokens } from '../../client/client.js'
import type { Schema } from '../shared/forms/schema.js'
import { endLogin, logIn, logInAt, logOut, service } from '../shared/service.js'
import { forgetTokens, token } from './link.js'
import { type LinkPage, type Refusal, refusalOf } from './refusals.js'

/** What the page shows. */
export type View =
  | { name: 'opening' | 'noLink' | 'reset' | 'done' | 'forgotten' | 'verify' | 'verified' }
  | { name: 'invited'; invitation: Schema<'PendingInvitation'> }
  | { name: 'asked'; email: string }
  | { name: 'refused'; refusal: Refusal }
  | { name: 'fault'; error: unknown }

export const view = signal<View>({ name: 'opening' })

/** Shows what the address is for. */
export async function begin(): Promise<void> {
  const page = location.pathname.split('/')[1]
  if (page === 'forgot-password') view.value = { name: 'forgotten' }
  else if (token === '') view.value = { name: 'noLink' }
  else if (page === 'reset-password') view.value = { name: 'reset' }
  else if (page === 'verify-email') view.value = { name: 'verify' }
  else await readInvitation()
}

async function readInvitation(): Promise<void> {
  view.value = { name: 'opening' }
  try {
    const data = await withLink('accept-invitation', async () => {
      const path = '/api/v1/auth/get-invitation'
      return (await service.api.POST(path, { body: { token } })).data
    })
    if (data) view.value = { name: 'invited', invitation: data }
  } catch (error) {
    view.value = { name: 'fault', error }
  }
}

/** Sets the password of an invited person, and opens their page, logged in. */
export async function accept(page: 'play' | 'lead', new_password: string): Promise<void> {
  await withLink('accept-invitation', async () => {
    const path = '/api/v1/auth/accept-invitation'
    const { data } = await service.api.POST(path, { body: { token, new_password } })
    view.value = { name: 'opening' }
    logInAt(page, data)
    forgetTokens()
    // Back must not lead to a link that is used.
    location.replace(`/${page}`)
  })
}

export async function reset(new_password: string): Promise<void> {
  await withLink('reset-password', async () => {
    await service.api.POST('/api/v1/auth/reset-password', { body: { token, new_password } })
    forgetTokens()
    view.value = { name: 'done' }
  })
}

/** Confirms the address of the user who has logged in, and lets them lead from here. */
export async function verify(tokens: Tokens): Promise<void> {
  logIn(tokens)
  let isVerified = false
  try {
    await withLink('verify-email', async () => {
      await service.api.POST('/api/v1/auth/verify-email', { body: { token } })
      isVerified = true
      forgetTokens()
      logInAt('lead', tokens)
      view.value = { name: 'verified' }
    })
  } finally {
    // This page has no other use for the login.
    if (!isVerified) await endLogin()
    logOut()
  }
}

export async function ask(email: string): Promise<void> {
  await service.api.POST('/api/v1/auth/request-password-reset', { body: { email } })
  view.value = { name: 'asked', email }
}

/** Does something with the link. If the service refuses the link for good, forgets it and says why. */
async function withLink<Result>(
  page: LinkPage,
  act: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await act()
  } catch (error) {
    const refusal = refusalOf(error, page)
    if (!refusal) throw error
    forgetTokens()
    view.value = { name: 'refused', refusal }
  }
}

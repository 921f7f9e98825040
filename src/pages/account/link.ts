import { forgetStored, readStored, store } from '../shared/stored.js'

const everyToken = 'token '
const storedAs = everyToken + location.pathname

/**
 * Takes the secret of the link out of the address, where others can read or copy it. A reload needs it
 * until it is used.
 */
function takeToken(): string {
  // Until a week after the release that writes `#`, mailboxes have working links with `?token=`.
  const token = location.hash.slice(1) || new URLSearchParams(location.search).get('token')
  if (token) store(storedAs, token)
  history.replaceState(null, '', location.pathname)
  return token || (readStored<string>(storedAs) ?? '')
}

/** The secret of the link that has opened the page; empty if there is none. */
export const token = takeToken()

/** Forgets the secrets of all links that this tab has opened. */
export const forgetTokens = () => forgetStored(everyToken)

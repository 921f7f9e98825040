import { signal } from '@preact/signals'
import { ApiError, createClient, type Fault, type Tokens } from '../../client/client.js'
import { linkStoredAs, linksStoredAs, placeStoredAs, readStored, store } from './stored.js'
import { say, type Word } from './words/words.js'

/** Each page has a login of its own: a link that is opened in the tab of a trainer does not end theirs. */
const tokensOf = (page: string | undefined) => `${page} tokens`
const storedAs = tokensOf(location.pathname.split('/')[1])

/** Why the login ended, if the service has ended it. */
export const loginEnd = signal<ApiError | null>(null)

let tokens = readStored<Tokens>(storedAs)
export const isLoggedIn = signal(tokens !== null)

/** The service. Tokens are kept in memory and for this tab. */
export const service = createClient({
  tokens,
  onTokens(next) {
    const message: Renewal = { before: tokens?.refresh_token, tokens: next }
    keep(next)
    renewals?.postMessage(message)
  },
  onLoginEnd(reason) {
    logOut()
    loginEnd.value = reason
  },
})

interface Renewal {
  before: string | undefined
  tokens: Tokens
}

/** A tab that was duplicated has the same login. A second use of a refresh token would end it. */
const renewals =
  typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('renewed tokens')
renewals?.addEventListener('message', ({ data }: MessageEvent<Renewal>) => {
  if (tokens && tokens.refresh_token === data.before) logIn(data.tokens)
})

export function logIn(next: Tokens): void {
  keep(next)
  service.setTokens(tokens)
  loginEnd.value = null
  isLoggedIn.value = true
}

/** Forgets the tokens, and returns them. */
export function logOut(): Tokens | null {
  const last = tokens
  keep(null)
  service.setTokens(null)
  isLoggedIn.value = false
  return last
}

/** Ends a request that gets no answer, as on a connection that has died. */
export const patience = () => AbortSignal.timeout(15_000)

/** Ends the login at the service. If that cannot be reached, the login ends later by itself. */
export async function endLogin(): Promise<void> {
  const signal = patience()
  await service.api.POST('/api/v1/auth/logout', { body: {}, signal }).catch(() => {})
}

/** What a page would go on with, besides its login. */
const goesOnWith = { play: [placeStoredAs, linkStoredAs], lead: [linksStoredAs] }

/** Logs in to another page in this tab. It begins anew there; what other people have written stays theirs. */
export function logInAt(page: 'play' | 'lead', next: Tokens): void {
  for (const name of goesOnWith[page]) store(name, null)
  store(tokensOf(page), bare(next))
}

function keep(next: Tokens | null): void {
  tokens = next && bare(next)
  store(storedAs, tokens)
}

/** The tokens without the other fields of an answer. */
const bare = ({ access_token, refresh_token }: Tokens): Tokens => ({ access_token, refresh_token })

/** Returns what to show for an error: the words of the page for its limit or code, or those of the service. */
export function faultText(error: unknown): string {
  if (!(error instanceof ApiError)) return say('error.network')
  const word = `error.${error.body.quota ?? error.code}` as Word
  const text = say(word)
  if (text !== word) return text
  const [fault] = error.faults
  if (fault) return fieldFault(fault)
  // The page of a proxy and a fault inside the service say nothing to a reader.
  const isForReaders = !['http_error', 'internal_server_error'].includes(error.code)
  return (isForReaders && error.detail) || say('error.unknown')
}

/** Returns the first fault of a request at a location, such as "body.name". */
export function faultIn(error: unknown, location: string): Fault | undefined {
  if (!(error instanceof ApiError)) return undefined
  return error.faults.find(({ loc }) => loc.join('.') === location)
}

/** Returns what is wrong with a field: the words of the page for it, or those of the service. */
export function fieldFault({ type, msg }: Fault): string {
  const word = `field.${type}` as Word
  const text = say(word)
  return text === word ? msg : text
}

import { type ApiError, isRefusal } from './api-error.js'

/** The tokens of a login, from `login`, `register`, `acceptInvitation` or `takeSeat`. */
export interface Tokens {
  access_token: string
  refresh_token: string
}

export interface LoginOptions {
  /** The tokens of an earlier login. */
  tokens?: Tokens | null | undefined
  /** Gets the tokens of each refresh. Store them: the earlier ones no longer work. */
  onTokens?: ((tokens: Tokens) => void) | undefined
  /** Is called once when the service refuses a refresh, which ends the login. `code` says why. */
  onLoginEnd?: ((reason: ApiError) => void) | undefined
}

/**
 * Keeps the tokens of a login, and exchanges a refresh token for new ones. All requests that need
 * them wait for the same exchange.
 */
export function createLogin(
  { onTokens, onLoginEnd, ...options }: LoginOptions,
  exchange: (refresh_token: string) => Promise<Tokens>,
) {
  let tokens = options.tokens ?? null
  let refresh: { of: Tokens; done: Promise<void> } | null = null

  async function replace(old: Tokens): Promise<void> {
    const next = await exchange(old.refresh_token).catch((error: unknown) => {
      if (tokens === old) fail(error)
    })
    // Another login may have begun meanwhile.
    if (!next || tokens !== old) return
    tokens = next
    onTokens?.(next)
  }

  function fail(error: unknown): never {
    refresh = null
    if (isRefusal(error)) {
      tokens = null
      onLoginEnd?.(error)
    }
    throw error
  }

  return {
    token: () => tokens?.access_token ?? null,

    set(next: Tokens | null): void {
      tokens = next
    },

    /** Replaces the tokens, unless the refused one was replaced already. */
    async renew(refused: string | null): Promise<void> {
      if (!tokens || tokens.access_token !== refused) return
      if (refresh?.of !== tokens) refresh = { of: tokens, done: replace(tokens) }
      await refresh.done
    },
  }
}

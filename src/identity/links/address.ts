type Page = 'play' | 'accept-invitation' | 'reset-password' | 'verify-email'

/**
 * The address of a page that takes a secret. The secret is in the fragment, which a browser does not send,
 * so no server and no log on the way gets it.
 */
export const addressOfLink = (pages: string, page: Page, secret: string) =>
  `${pages}/${page}#${secret}`

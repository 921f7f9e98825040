import { domainToASCII } from 'node:url'
import { isVisibleName } from '../formats/names.js'

/** Characters without a visible form, except those that join or separate letters of some scripts. */
const invisible = /(?![\u200c\u200d])[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu

/**
 * Returns the e-mail address in a text that was pasted from a sheet or a letter: without spaces, `mailto:`
 * and brackets around it, a final `;` or `,`, and invisible characters. In NFC, because systems type
 * letters with accents in different forms.
 */
export function addressIn(text: string): string {
  const separated = text.replace(invisible, '').trim().replace(/[;,]$/, '').trim()
  const bare = separated.replace(/^<(.*)>$/, '$1').replace(/^mailto:/i, '')
  return bare.trim().normalize('NFC')
}

/** The contract allows no longer ones. To normalize a long text of marks would take seconds. */
const longestEmail = 254

/** Whether a text has exactly one e-mail address, perhaps with what `addressIn` removes. */
export function isEmail(text: string): boolean {
  // Another fault says that it is too long.
  if (text.length > longestEmail) return true
  const address = addressIn(text)
  return /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"/?#%]+$/.test(address) && isVisibleName(address)
}

/**
 * The form in which e-mail addresses are compared. Case does not count, and a domain has its ASCII form, as
 * in the mail itself.
 */
export function normalizeEmail(email: string): string {
  const address = addressIn(email).toLowerCase().normalize('NFC')
  const at = address.lastIndexOf('@') + 1
  return address.slice(0, at) + (domainToASCII(address.slice(at)) || address.slice(at))
}

/**
 * The forms in which an address may be stored: as it was typed first, because an account of an earlier
 * version may have it beside the account with the normal form.
 */
export const storedForms = (email: string): string[] => [
  ...new Set([email.trim().toLowerCase(), normalizeEmail(email)]),
]

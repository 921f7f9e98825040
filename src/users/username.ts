/**
 * A username from the local part of an e-mail address: a-z, 0-9, dot, underscore and hyphen, 3 to
 * 50 characters. Accents are dropped (é becomes e). Other characters become a hyphen.
 */
export function usernameFromEmail(email: string): string {
  const [local = ''] = email.trim().split('@')
  const letters = local
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9._-]+/g, '-')
  return letters.slice(0, longest).padEnd(shortest, '0')
}

/** The first of `name`, `name2`, `name3` … that is not taken, cut to fit. */
export function freeUsername(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : String(number)
    const candidate = name.slice(0, longest - suffix.length) + suffix
    if (!taken.has(candidate)) return candidate
  }
}

const shortest = 3
const longest = 50

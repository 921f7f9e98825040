import { valueError } from '../errors.js'

/** What Mattermost's importer allows: names of channels and teams, and titles of both. */
const longestName = 64
/** No name of a team may begin with one of these. */
const reservedForTeams =
  /^(admin|api|boards|channel|claim|error|files|help|landing|login|mfa|oauth|playbooks|plug|post|signup)/
const reservedForUsers = new Set(['all', 'channel', 'here', 'matterbot', 'system'])

/** A name of letters, digits and hyphens that is as close to a text as can be. */
function nameFrom(text: string, otherwise: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const name =
    plain
      .match(/[a-z0-9]+/g)
      ?.join('-')
      .slice(0, longestName)
      .replace(/-$/, '') ?? ''
  return name.length < 2 ? otherwise : name
}

/** The longest end of a name that is numbered. */
const longestEnd = '-999999'.length

/** Names of channels, of which each is given once. */
export class FreeNames {
  readonly #taken = new Set<string>()
  /** The last number that was tried, by how a name begins: no number is tried twice. */
  readonly #numbers = new Map<string, number>()

  /** A name that no other channel has, as close to a text as can be. */
  take(text: string, otherwise: string): string {
    const wanted = nameFrom(text, otherwise)
    // Long names that differ only near their end share the numbered ones.
    const beginning = wanted.slice(0, longestName - longestEnd)
    let name = wanted
    while (this.#taken.has(name)) {
      const number = (this.#numbers.get(beginning) ?? 1) + 1
      this.#numbers.set(beginning, number)
      const end = `-${number}`
      name = wanted.slice(0, longestName - end.length).replace(/-$/, '') + end
    }
    this.#taken.add(name)
    return name
  }
}

/** The name of the team: the one asked for, or one that is made of the organization's. */
export function teamName(asked: string | undefined, organization_name: string): string {
  if (asked !== undefined) {
    if (!reservedForTeams.test(asked)) return asked
    throw valueError(['query', 'team'], 'Mattermost has reserved names that begin so')
  }
  const name = nameFrom(organization_name, 'organization')
  return reservedForTeams.test(name) ? nameFrom(`the-${name}`, name) : name
}

/** Our usernames are Mattermost's but for the few that it has reserved. */
export const userName = (username: string) =>
  reservedForUsers.has(username) ? `${username}_` : username

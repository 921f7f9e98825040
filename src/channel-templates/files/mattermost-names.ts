import { valueError } from '../../faults.js'

/** Mattermost's limit for names of channels and teams, in characters. */
const maxNameLength = 64
/** Mattermost refuses team names that begin with one of these. */
const reservedForTeams =
  /^(admin|api|boards|channel|claim|error|files|help|landing|login|mfa|oauth|playbooks|plug|post|signup)/
const reservedForUsers = new Set(['all', 'channel', 'here', 'matterbot', 'system'])

/** Turns a text into a name of letters, digits and hyphens, as close to the text as possible. */
function nameFrom(text: string, otherwise: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const name =
    plain
      .match(/[a-z0-9]+/g)
      ?.join('-')
      .slice(0, maxNameLength)
      .replace(/-$/, '') ?? ''
  return name.length < 2 ? otherwise : name
}

/** Room for the longest number at the end of a name. */
const maxSuffixLength = '-999999'.length

/** Hands out names of channels, each once. */
export class FreeNames {
  readonly #taken = new Set<string>()
  /** The last number tried, by the beginning of the name, so that no number is tried twice. */
  readonly #numbers = new Map<string, number>()

  /** Returns a name that no other channel has, as close to the text as possible. */
  take(text: string, otherwise: string): string {
    const wanted = nameFrom(text, otherwise)
    // Long names with the same beginning share their numbers.
    const beginning = wanted.slice(0, maxNameLength - maxSuffixLength)
    let name = wanted
    while (this.#taken.has(name)) {
      const number = (this.#numbers.get(beginning) ?? 1) + 1
      this.#numbers.set(beginning, number)
      const end = `-${number}`
      name = wanted.slice(0, maxNameLength - end.length).replace(/-$/, '') + end
    }
    this.#taken.add(name)
    return name
  }
}

/** The requested name of the team, or one made from the organization's name. */
export function teamName(requested: string | undefined, organization_name: string): string {
  if (requested !== undefined) {
    if (!reservedForTeams.test(requested)) return requested
    throw valueError(['query', 'team'], 'reserved', 'Mattermost has reserved names that begin so')
  }
  const name = nameFrom(organization_name, 'organization')
  return reservedForTeams.test(name) ? nameFrom(`the-${name}`, name) : name
}

/** Our usernames fit Mattermost, except the few that it reserves. */
export const userName = (username: string) =>
  reservedForUsers.has(username) ? `${username}_` : username

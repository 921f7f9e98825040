import { valueError } from '../errors.js'

/** What Mattermost's importer allows: names of channels and teams, and titles of both. */
const longestName = 64
/** No name of a team may begin with one of these. */
const reservedForTeams =
  /^(admin|api|boards|channel|claim|error|files|help|landing|login|mfa|oauth|playbooks|plug|post|signup)/
const reservedForUsers = new Set(['all', 'channel', 'here', 'matterbot', 'system'])

/** A text of so many characters at most, with a sign where something was cut. */
export function cut(text: string, most: number): string {
  const characters = [...text]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}

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

/** A name that nobody has yet, which then is taken. */
export function freeName(text: string, otherwise: string, taken: Set<string>): string {
  const wanted = nameFrom(text, otherwise)
  let name = wanted
  for (let number = 2; taken.has(name); number += 1) {
    const end = `-${number}`
    name = wanted.slice(0, longestName - end.length).replace(/-$/, '') + end
  }
  taken.add(name)
  return name
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

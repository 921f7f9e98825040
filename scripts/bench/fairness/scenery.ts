import type { Account } from '../accounts.js'
import { getRequest, jsonRequest, send } from '../client.js'
import { listUsers, register } from '../requests.js'
import type { StormRequest, Target } from './storm.js'

/** Templates of one scenario: channels with messages that one character sends. */
export interface Library {
  scenario_name: string
  channels: number
  messages: number
  content(number: number): string
  metadata?: (number: number) => object
}

type Owner = Pick<Target, 'url' | 'account'>

export interface Character {
  _id: string
  username: string
}

export interface RunningSession {
  _id: string
  conversations: { conversation_id: string }[]
}

export async function registerAccount(url: string): Promise<Account> {
  const { organization_id, access_token: token } = Object((await send(url, register(), 201)).body)
  return { organization_id, token }
}

export async function post<T>(
  { url, account }: Owner,
  path: string,
  body: object,
  status: number,
): Promise<T> {
  return (await send(url, jsonRequest('POST', path, body, account.token), status)).body as T
}

/** Invites an admin, who replaces the temporary password. */
export async function addAdmin(owner: Owner, name: string): Promise<Account> {
  const { organization_id } = owner.account
  const email = `${name}@${organization_id}.example`
  const member = { first_name: name, last_name: 'Lindqvist', email, access_level: 'admin' }
  const invited = await post<{ temporary_password: string }>(
    owner,
    `/api/v1/users/invite/${organization_id}`,
    member,
    201,
  )
  const current_password = invited.temporary_password
  const auth = '/api/v1/auth'
  const login = jsonRequest('POST', `${auth}/login`, { email, password: current_password })
  const { body: grant } = await send(owner.url, login, 200)
  const passwords = { current_password, new_password: `${name} storms with exports` }
  const { access_token } = Object(grant)
  const change = jsonRequest('POST', `${auth}/change-password`, passwords, access_token)
  const { body: changed } = await send(owner.url, change, 200)
  return { organization_id, token: Object(changed).access_token }
}

/** Applies a quick setup, and returns its characters. */
export async function makeCharacters(
  owner: Owner,
  team_size: number,
  scenario_type = 'hr_workforce',
): Promise<Character[]> {
  const path = '/api/v1/admin/simulation/scenario-blueprints/quick-setup/apply'
  const setup = { team_size, scenario_type }
  const { character_ids } = await post<{ character_ids: string[] }>(owner, path, setup, 200)
  const { body } = await send(owner.url, listUsers(owner.account), 200)
  return (body as Character[]).filter(({ _id }) => character_ids.includes(_id))
}

export const templatesPath = '/api/v1/admin/simulation/channel-templates'

const listOf = <T>(length: number, item: (number: number) => T) =>
  Array.from({ length }, (_, number) => item(number))

/** Imports the channels of a library from one number up to another. */
export function importOf(
  { token }: Account,
  { scenario_name, messages, content, metadata, channels }: Library,
  { username, from = 0, to = channels }: { username: string; from?: number; to?: number },
): StormRequest & { body: string } {
  const message = (number: number) => ({
    sender_username: username,
    content: content(number),
    offset_hours: -1,
    ...(metadata && { metadata: metadata(number) }),
  })
  const template = (channel: number) => ({
    scenario_name,
    channel_name: `channel-${channel}`,
    message_templates: listOf(messages, (number) => message(channel * messages + number)),
  })
  const templates = listOf(to - from, (number) => template(from + number))
  const file = { format: 'channel-templates', version: 1, templates }
  return jsonRequest('POST', `${templatesPath}-import?overwrite=true`, file, token)
}

/** The most channels of one import. A file may have 4 MiB. */
export const channelsOfPart = 20

export async function storeLibrary(owner: Owner, library: Library): Promise<void> {
  const [character] = await makeCharacters(owner, 1)
  if (!character) throw new Error('The setup made no character')
  for (let from = 0; from < library.channels; from += channelsOfPart) {
    const to = Math.min(library.channels, from + channelsOfPart)
    const { body, ...request } = importOf(owner.account, library, { ...character, from, to })
    await send(owner.url, { ...request, body }, 200)
  }
}

export const sessionsPath = '/api/v1/simulation/sessions'

/** Creates a session and starts it. */
export async function runSession(owner: Owner, fields: object): Promise<RunningSession> {
  const session = { name: 'A session', ...fields }
  const { _id } = await post<RunningSession>(owner, sessionsPath, session, 201)
  return post(owner, `${sessionsPath}/${_id}/start`, {}, 200)
}

/** A post of the admin in the name of a character. */
export function postMessage(
  { token }: Account,
  { _id, conversations }: RunningSession,
  message: { as_character_id: string; client_message_id: string; content: string },
) {
  const conversation_id = conversations[0]?.conversation_id
  return jsonRequest(
    'POST',
    `${sessionsPath}/${_id}/messages`,
    { conversation_id, ...message },
    token,
  )
}

export const exportSession = ({ token }: Account, { _id }: RunningSession) =>
  getRequest(token, `${sessionsPath}/${_id}/export`)

import { getRequest, jsonRequest, send } from '../client.js'
import type { Account } from './arena.js'
import type { Shot } from './flood.js'

/** The size of a scenario's templates: the number of channels, and of messages in each. */
export interface Library {
  scenario_name: string
  channels: number
  messages: number
  content(number: number): string
  offset_hours?: number
  metadata?: (number: number) => object
}

export interface Place {
  url: string
  account: Account
}

const templates = '/api/v1/admin/simulation/channel-templates'
const sessions = '/api/v1/simulation/sessions'

export interface Character {
  _id: string
  username: string
}

/** Applies a quick setup, and returns its characters. */
export async function makeCharacters(
  { url, account: { token } }: Place,
  team_size: number,
  scenario_type = 'hr_workforce',
): Promise<Character[]> {
  const path = '/api/v1/admin/simulation/scenario-blueprints/quick-setup/apply'
  const shot = jsonRequest('POST', path, { team_size, scenario_type }, token)
  const { character_ids } = (await sendShot(url, shot, 200)) as { character_ids: string[] }
  const users = await sendShot(url, getRequest(token, '/api/v1/users/'), 200)
  return (users as Character[]).filter(({ _id }) => character_ids.includes(_id))
}

/** An import of a library, or of a part of it, whose messages one character sends. */
export function importOf(
  { token }: Account,
  library: Library,
  { username, from = 0, to = library.channels }: Pick<Character, 'username'> & Partial<Part>,
): Shot {
  const { scenario_name, messages, content, offset_hours = -1, metadata } = library
  const message = (number: number) => ({
    sender_username: username,
    content: content(number),
    offset_hours,
    ...(metadata && { metadata: metadata(number) }),
  })
  const template = (channel: number) => ({
    scenario_name,
    channel_name: `channel-${channel}`,
    message_templates: listOf(messages, (number) => message(channel * messages + number)),
  })
  const file = {
    format: 'channel-templates',
    version: 1,
    templates: listOf(to - from, (number) => template(from + number)),
  }
  const shot = jsonRequest('POST', `${templates}-import?overwrite=true`, file, token)
  return { ...shot, body: Buffer.from(shot.body ?? '') }
}

interface Part {
  from: number
  to: number
}

const listOf = <T>(length: number, item: (number: number) => T) =>
  Array.from({ length }, (_, number) => item(number))

/** Stores a library in parts, each of which one import takes. */
export async function storeLibrary({ url, account }: Place, library: Library): Promise<void> {
  const [character] = await makeCharacters({ url, account }, 1)
  if (!character) throw new Error('The setup made no character')
  for (let from = 0; from < library.channels; from += channelsOfPart) {
    const to = Math.min(library.channels, from + channelsOfPart)
    await sendShot(url, importOf(account, library, { ...character, from, to }), 200)
  }
}

const channelsOfPart = 30

/** Creates a session. */
export const newSession = ({ token }: Account, fields: object): Shot =>
  jsonRequest('POST', sessions, { name: 'A session', ...fields }, token)

export const startOf = ({ token }: Account, session_id: string): Shot =>
  jsonRequest('POST', `${sessions}/${session_id}/start`, {}, token)

export interface RunningSession {
  _id: string
  conversations: { conversation_id: string }[]
}

/** Creates a session and starts it. */
export async function runSession({ url, account }: Place, fields: object): Promise<RunningSession> {
  const { _id } = (await sendShot(url, newSession(account, fields), 201)) as RunningSession
  return (await sendShot(url, startOf(account, _id), 200)) as RunningSession
}

/** Sends one request while a storm is prepared, and returns the body of its answer. */
export async function sendShot(url: string, shot: Shot, expected: number): Promise<unknown> {
  const { body, ...rest } = shot
  const request = body === undefined ? rest : { ...rest, body: String(body) }
  return (await send(url, request, expected)).body
}

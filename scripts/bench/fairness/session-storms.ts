import { jsonRequest } from '../client.js'
import type { Account, Target } from './arena.js'
import type { Turn } from './flood.js'
import {
  type Library,
  makeCharacters,
  newSession,
  type RunningSession,
  runSession,
  startOf,
  storeLibrary,
} from './scenery.js'
import { type Storm, stormOf } from './storm.js'
import { unreadStreams } from './unread-streams.js'

const words =
  'can we look at the shift plan before thursday? The night shift is short of two people '

/** Messages that were said before a session starts. */
export const longHistory = ({ isSmall }: Pick<Target, 'isSmall'>): Library => ({
  ...{ scenario_name: 'history', channels: 2, messages: isSmall ? 50 : 500 },
  content: (number) => `Message ${number}: ${words.repeat(2)}`,
})

/** A session of a library that has just started. */
export async function playedSession(
  { url, stormer: account }: Target,
  library: Library,
): Promise<RunningSession> {
  await storeLibrary({ url, account }, library)
  return runSession({ url, account }, { scenario_name: library.scenario_name })
}

/** Makes a session, starts it and ends it. */
export const playing =
  (account: Account, fields: object): Turn =>
  async (ask) => {
    const { status, text } = await ask(newSession(account, fields))
    if (status !== 201) return
    const start = startOf(account, JSON.parse(text)._id)
    await ask(start)
    await ask({ ...start, path: start.path.replace(/start$/, 'end') })
  }

const starts = stormOf('starts with history', async (target) => {
  const { url, stormer: account } = target
  const library = longHistory(target)
  await storeLibrary({ url, account }, library)
  return playing(account, { scenario_name: library.scenario_name })
})

/** Different for each session and each turn, so that every post is a new message. */
export function postTo(
  { token }: Account,
  { _id, conversations }: RunningSession,
  message: { as_character_id: string; client_message_id: string; content: string },
) {
  const conversation_id = conversations[0]?.conversation_id
  const path = `/api/v1/simulation/sessions/${_id}/messages`
  return jsonRequest('POST', path, { conversation_id, ...message }, token)
}

const posts = stormOf('posts into one session', async ({ url, stormer: account }) => {
  const [character] = await makeCharacters({ url, account }, 6)
  const session = await runSession({ url, account }, { scenario_name: 'hr_workforce' })
  const as_character_id = character?._id ?? ''
  return (ask, number) => {
    const message = { client_message_id: `message-${number}`, content: words }
    return ask(postTo(account, session, { as_character_id, ...message }))
  }
})

export const sessionStorms: Storm[] = [starts, posts, unreadStreams]

import { jsonRequest } from '../client.js'
import type { Account } from '../fairness/arena.js'
import type { Shot } from '../fairness/flood.js'
import type { RunningSession } from '../fairness/scenery.js'
import { postTo } from '../fairness/session-storms.js'
import { temporaryEmail } from '../temporary.js'

/** One kind of write, made again and again. */
export interface Write {
  kind: string
  everyMs: number
  /** The next one, and the text by which it is found again. */
  next(number: number): { text: string; shot: Shot }
}

interface Writer {
  account: Account
  session: RunningSession
  /** Whom the admin speaks as. */
  character_id: string
}

/** As many writes as one team makes in earnest. */
export const writesOf = (writer: Writer): Write[] => [
  { kind: 'branding', everyMs: 1_000, next: (number) => branding(writer, `Welcome ${number}`) },
  { kind: 'message', everyMs: 2_000, next: (number) => message(writer, `Message ${number}`) },
  { kind: 'invitation', everyMs: 3_000, next: () => invitation(writer, temporaryEmail()) },
]

function branding({ account: { organization_id, token } }: Writer, text: string) {
  const path = `/api/v1/organizations/${organization_id}/branding`
  return { text, shot: jsonRequest('PUT', path, { welcome_message: text }, token) }
}

function message({ account, session, character_id }: Writer, text: string) {
  const said = { as_character_id: character_id, client_message_id: text, content: text }
  return { text, shot: postTo(account, session, said) }
}

function invitation({ account: { organization_id, token } }: Writer, text: string) {
  const path = `/api/v1/users/invite/${organization_id}`
  const person = { first_name: 'Mei', last_name: 'Tan', email: text }
  return { text, shot: jsonRequest('POST', path, person, token) }
}

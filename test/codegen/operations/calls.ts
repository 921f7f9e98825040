import createClient from 'openapi-fetch'
import { bearer, type Session } from '../clients/client.ts'
import type { operations, paths } from '../generated/openapi-typescript.ts'

export type OperationId = keyof operations

/** A call of each operation. With one missing or misspelt it does not compile. */
export type Calls = { [Id in OperationId]: () => Promise<{ response: Response; error?: unknown }> }

/** An organization in which a setup is applied, and who calls. */
export interface Stage {
  url: string
  admin: Session
  member: Session & { user_id: string; email: string; password: string }
  /** The ids of characters, who are bots. */
  character_ids: string[]
}

export const clientFor = (url: string, session?: Session) =>
  createClient<paths>({ baseUrl: url, ...(session && { headers: bearer(session) }) })

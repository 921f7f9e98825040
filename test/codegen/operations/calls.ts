import createClient from 'openapi-fetch'
import { bearer, type Session } from '../clients/client.ts'
import type { operations, paths } from '../generated/openapi-typescript.ts'

export type OperationId = keyof operations

/** A call of each operation. A missing or misspelt one does not compile. */
export type Calls = { [Id in OperationId]: () => Promise<{ response: Response; error?: unknown }> }

/** An organization with an applied setup, and its callers. */
export interface Stage {
  url: string
  admin: Session
  member: Session & { user_id: string; email: string; password: string }
  /** The ids of characters. They are bots. */
  character_ids: string[]
}

export const clientFor = (url: string, session?: Session) =>
  createClient<paths>({ baseUrl: url, ...(session && { headers: bearer(session) }) })

export interface Person {
  email: string
  password: string
  organization_name: string
  first_name: string
  last_name: string
}

export interface Session {
  access_token: string
  organization_id: string
}

/** The calls that every generated client has to offer, in its generated types. */
export interface Client {
  register(person: Person): Promise<Session & { user_id: string }>
  /** The administrators of the organization. */
  listAdmins(session: Session): Promise<{ _id?: string | null; role?: string }[]>
  /** The events of the category auth with any status, as that filter is null. */
  listAuthEvents(session: Session): Promise<{ event_type: string; category: string }[]>
}

export const bearer = ({ access_token }: Session) => ({ Authorization: `Bearer ${access_token}` })

export function succeeded<T>(value: T | undefined, error: unknown): T {
  if (value === undefined) throw new Error(`Refused: ${JSON.stringify(error)}`)
  return value
}

import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Person, Session } from './clients/client.ts'

export interface Place {
  session_id: string
  conversation_id: string
}

interface Login {
  user_id: string
  password: string
}

/** The operations that a drill needs, for a client with its own types. */
export interface DrillClient {
  register(person: Person): Promise<Session>
  applyQuickSetup(admin: Session): Promise<{ scenario_type: string; character_ids: string[] }>
  /** Sends the defaults of every field that has one. Returns the temporary password. */
  inviteMember(admin: Session, person: Person): Promise<Login>
  login(person: Person): Promise<Session>
  changePassword(member: Session, current: string, next: string): Promise<Session>
  createSession(
    admin: Session,
    scenario_name: string,
    user_ids: string[],
  ): Promise<{ _id: string; mode: string; speed: number }>
  joinSession(member: Session, session_id: string): Promise<{ user_id: string }>
  startSession(admin: Session, session_id: string): Promise<{ status: string }>
  /** The conversations in the briefing. */
  getBriefing(member: Session, session_id: string): Promise<(string | null)[]>
  /** The first message, as soon as it is posted. */
  firstMessage(
    member: Session,
    session_id: string,
  ): Promise<{ seq: number; conversation_id: string }>
  postMessage(member: Session, place: Place, content: string): Promise<{ seq: number }>
  /** Rates one criterion. Returns the values of all ratings. */
  rateSession(admin: Session, session_id: string): Promise<(string | number | boolean)[]>
  endSession(admin: Session, session_id: string): Promise<{ status: string }>
  exportSession(admin: Session, session_id: string): Promise<string>
}

export const personOf = (first_name: string): Person => ({
  email: `${randomUUID()}@codegen.example`,
  password: randomUUID(),
  organization_name: 'Codegen',
  first_name,
  last_name: 'Okafor',
})

const answer = 'I am looking at the balances now.'

/** Invites a person, who sets a password. */
export async function enroll(client: DrillClient, admin: Session, first_name: string) {
  const person = personOf(first_name)
  const { user_id, password } = await client.inviteMember(admin, person)
  const first = await client.login({ ...person, password })
  const session = await client.changePassword(first, password, person.password)
  return { ...person, ...session, user_id }
}

/** Plays a drill from registration to export. */
export async function playDrill(client: DrillClient): Promise<void> {
  const admin = await client.register(personOf('Ada'))
  const { scenario_type, character_ids } = await client.applyQuickSetup(admin)
  equal(scenario_type, 'hr_workforce')
  ok(character_ids.length > 0)

  const ben = await enroll(client, admin, 'Ben')
  const people = [ben, await enroll(client, admin, 'Cleo')]
  const user_ids = people.map(({ user_id }) => user_id)
  const { _id, mode, speed } = await client.createSession(admin, scenario_type, user_ids)
  deepEqual([mode, speed], ['scripted', 600])
  for (const person of people) {
    equal((await client.joinSession(person, _id)).user_id, person.user_id)
  }
  equal((await client.startSession(admin, _id)).status, 'running')

  const message = await client.firstMessage(ben, _id)
  const conversations = await client.getBriefing(ben, _id)
  ok(conversations.includes(message.conversation_id))
  const place = { session_id: _id, conversation_id: message.conversation_id }
  const { seq } = await client.postMessage(ben, place, answer)
  ok(seq > message.seq)

  deepEqual(await client.rateSession(admin, _id), [3])
  equal((await client.endSession(admin, _id)).status, 'completed')
  ok((await client.exportSession(admin, _id)).includes(answer))
}

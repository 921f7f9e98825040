import type { Kysely } from 'kysely'
import type { OperationId, Schema } from '../../src/contract.js'
import { jsonb } from '../../src/database/expressions.js'
import type { Database } from '../../src/database/schema.js'
import { createId } from '../../src/formats/identifiers.js'
import type { Answer, Member } from './service.js'
import { sessionClocksOf } from './session-clock.js'
import { sessionTextsOf } from './session-texts.js'
import { addCharacter, messageOf } from './templates.js'
import { until } from './until.js'

type Call = (operationId: OperationId, options: object) => Promise<Answer>
type Message = Schema<'NewMessageTemplate'>
type Session = Schema<'SimulationSession'>

/** What a test needs to create sessions and to run them. */
export function sessionsOf({ call, db }: { call: Call; db: Kysely<Database> }) {
  /** Adds a scenario with one channel in which a character posts these messages. */
  async function addScenario(
    { organization_id }: Member,
    prepared: Partial<Message>[] | ((character_id: string) => Partial<Message>[]),
    { channel_name = 'home', scenario_name = `play-${createId()}` } = {},
  ) {
    const character_id = await addCharacter(db, organization_id)
    const channel_id = createId()
    const messages = typeof prepared === 'function' ? prepared(character_id) : prepared
    await db
      .insertInto('channel_templates')
      .values({
        organization_id,
        _id: channel_id,
        setup_id: null,
        scenario_name,
        channel_name,
        message_templates: jsonb(messages.map((one) => messageOf(character_id, one))),
      })
      .execute()
    return { scenario_name, channel_id, character_id }
  }

  async function create({ token }: Member, body: object): Promise<Session> {
    const answer = await call('createSession', { token, body: { name: 'Tuesday', ...body } })
    return answer.body
  }

  async function change(
    operationId: 'startSession' | 'pauseSession' | 'resumeSession' | 'retrySession' | 'endSession',
    { token }: Member,
    { _id: session_id }: Pick<Session, '_id'>,
  ): Promise<Session> {
    return (await call(operationId, { token, params: { session_id } })).body
  }

  async function read({ token }: Member, { _id }: Pick<Session, '_id'>): Promise<Session> {
    return (await call('getSession', { token, params: { session_id: _id } })).body
  }

  /** Waits until a session has a status. */
  async function becomes(admin: Member, session: Pick<Session, '_id'>, status: string) {
    await until(async () => (await read(admin, session)).status === status)
    return read(admin, session)
  }

  return {
    addScenario,
    create,
    change,
    read,
    becomes,
    ...sessionClocksOf(db),
    ...sessionTextsOf(db),
  }
}

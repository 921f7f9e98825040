import type { Kysely, Selectable } from 'kysely'
import type { OperationId, Schema } from '../../src/contract.js'
import { jsonb } from '../../src/database/expressions.js'
import type { Database } from '../../src/database/schema.js'
import { createId } from '../../src/identifiers.js'
import type { Answer, Member } from './service.js'
import { addCharacter, messageOf } from './templates.js'
import { until } from './until.js'

type Call = (operationId: OperationId, options: object) => Promise<Answer>
type Message = Schema<'NewMessageTemplate'>
type Session = Schema<'SimulationSession'>

/** What a test needs to make sessions and to let them run. */
export function sessionsOf({ call, db }: { call: Call; db: Kysely<Database> }) {
  /** A scenario of an organization with one channel in which a character says these messages. */
  async function addScenario(
    { organization_id }: Member,
    said: Partial<Message>[] | ((character_id: string) => Partial<Message>[]),
    { channel_name = 'home', scenario_name = `play-${createId()}` } = {},
  ) {
    const character_id = await addCharacter(db, organization_id)
    const channel_id = createId()
    const messages = typeof said === 'function' ? said(character_id) : said
    await db
      .insertInto('channel_templates')
      .values({
        ...{ organization_id, _id: channel_id, setup_id: null, scenario_name, channel_name },
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

  /** Lets the service be away for so many minutes, as far as a session sees. */
  const miss = (session: Pick<Session, '_id'>, minutes: number) =>
    moveClock(session, minutes * 60_000)

  /** Lets time pass for a running session, in which nothing is late: all is posted when it is due. */
  async function pass(session: Pick<Session, '_id'>, minutes: number): Promise<void> {
    for (let left = minutes * 60_000; left > 0; ) {
      const { status, next_due_at } = await clockOf(session)
      if (status !== 'running') return
      const untilDue = next_due_at === null ? left : Date.parse(next_due_at) - Date.now()
      const step = Math.max(0, Math.min(left, untilDue))
      await moveClock(session, step)
      left -= step
      if (left > 0) await until(async () => !isDue(await clockOf(session)))
    }
  }

  const isDue = ({ next_due_at }: { next_due_at: string | null }) =>
    next_due_at !== null && Date.parse(next_due_at) <= Date.now()

  function clockOf({ _id }: Pick<Session, '_id'>) {
    return db
      .selectFrom('simulation_sessions')
      .select(['status', 'anchor_at', 'next_due_at'])
      .where('_id', '=', _id)
      .executeTakeFirstOrThrow()
  }

  /** Moves the instants that a clock is made of back. */
  async function moveClock(session: Pick<Session, '_id'>, ms: number): Promise<void> {
    const { anchor_at, next_due_at } = await clockOf(session)
    const back = (time: string) => new Date(Date.parse(time) - ms).toISOString()
    await db
      .updateTable('simulation_sessions')
      .set({ anchor_at: anchor_at && back(anchor_at) })
      .set({ next_due_at: next_due_at && back(next_due_at) })
      .where('_id', '=', session._id)
      .execute()
  }

  /** What was said, in the order of `seq`. */
  function messages({ _id }: Pick<Session, '_id'>) {
    return db
      .selectFrom('session_messages')
      .selectAll()
      .where('session_id', '=', _id)
      .orderBy('seq')
      .execute()
  }

  async function texts(session: Pick<Session, '_id'>): Promise<string[]> {
    return (await messages(session)).map(({ content }) => content)
  }

  /** Waits until so many messages are there, and gives what they say. */
  async function readTexts(session: Pick<Session, '_id'>, count: number): Promise<string[]> {
    await until(async () => (await messages(session)).length >= count)
    return texts(session)
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
    pass,
    miss,
    messages,
    texts,
    said: readTexts,
    becomes,
  }
}

export type StoredMessage = Selectable<Database['session_messages']>

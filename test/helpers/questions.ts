import type { Schema } from '../../src/contract.js'
import type { Member, startService } from './service.js'
import { sessionsOf } from './sessions.js'
import { openStage } from './stage.js'
import { replyOf } from './templates.js'

type Service = Awaited<ReturnType<typeof startService>>
type Message = Schema<'SessionMessage'>
export type Asked = Schema<'SessionExpectation'>

/** The metadata of a question with two options and five minutes to answer. */
export const repair = {
  kind: 'decision_point',
  beat: 'repair',
  expectation: { act: 'decide', deadline_minutes: 5, options: ['by hand', 'anew'] },
}

/** A drill in which characters ask at the start, in a reply, and again one minute later. */
export async function openQuestions(service: Service) {
  const { call } = service
  const { addScenario, pass, waitForTexts } = sessionsOf(service)
  const stage = await openStage(service)
  const { admin, ben, cleo, bot } = stage
  const words = (drill_minute: number, content: string, metadata: object = {}) => ({
    sender_character_id: bot.user_id,
    content,
    metadata: { drill_minute, ...metadata },
  })
  const { scenario_name } = await addScenario(admin, [
    {
      ...words(0, 'How do we repair it?', repair),
      thread_replies: [
        replyOf(bot.user_id, words(0, 'And who?', { expectation: { deadline_minutes: 10 } })),
      ],
    },
    words(1, 'When?', { beat: 'time', expectation: { act: 'answer', deadline_minutes: 2 } }),
    words(6, 'Then by hand.', { fallback_for: 'repair' }),
  ])

  /** Starts a session of the drill. Ben and Cleo have joined. */
  async function ask(body: Partial<Schema<'SessionCreation'>> = {}) {
    const { _id } = await stage.draft({ scenario_name, mode: 'scripted', ...body })
    for (const one of [ben, cleo]) await stage.join(_id, one)
    await stage.change('startSession', admin, { _id })
    const play = { _id, home: '', away: '', params: { session_id: _id } }
    const [first] = await stage.list(admin, play)
    return { ...play, home: first?.conversation_id ?? '' }
  }

  type Play = Awaited<ReturnType<typeof ask>>

  async function messageThat(play: Play, content: string): Promise<Message> {
    const found = (await stage.list(admin, play)).find((one) => one.content === content)
    if (!found) throw new Error(`No message has the text ${content}`)
    return found
  }

  /** Posts a participant's message in the thread of a message. */
  async function reply(by: Member, play: Play, content: string): Promise<Message> {
    const { thread_id, _id } = await messageThat(play, content)
    const { body } = await stage.post(by, play, { thread_id: thread_id ?? _id })
    return body
  }

  async function expectations(
    { token }: Member,
    { params }: Pick<Play, 'params'>,
    query = {},
  ): Promise<Asked[]> {
    return (await call('listExpectations', { token, params, query })).body
  }

  return { ...stage, pass, waitForTexts, ask, messageThat, reply, expectations }
}

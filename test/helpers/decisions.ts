import type { Schema } from '../../src/contract.js'
import type { Member, startService } from './service.js'
import { sessionsOf } from './sessions.js'
import { openStage, type Play } from './stage.js'
import { replyOf } from './templates.js'
import { until } from './until.js'

type Service = Awaited<ReturnType<typeof startService>>
type Message = Schema<'NewMessageTemplate'>

/** A message at a minute of the drill. */
export const said = (drill_minute: number, content: string, metadata: object = {}) => ({
  content,
  metadata: { drill_minute, ...metadata },
})

/** Metadata of a message that asks for a decision. The labels are the keys of the options. */
export const askFor =
  (beat: string, options: string[], fallback_option: string) => (deadline_minutes: number) => {
    const choices = options.map((option) => ({ option, label: option, cost: 'Time.' }))
    const decision = { question: `${beat}?`, options: choices, fallback_option }
    return { beat, expectation: { act: 'decide', deadline_minutes, decision } }
  }

/** A story with two decisions. The first one has a fallback line, the second one has none. */
export const storyWith =
  (decided_by: string[] = []) =>
  (character_id: string): Partial<Message>[] => [
    said(0, 'Cell 7 was warm.'),
    said(0, 'What do we do?', {
      kind: 'decision_point',
      beat: 'recall',
      expectation: {
        act: 'decide',
        deadline_minutes: 5,
        decision: {
          question: 'What happens to the food?',
          options: [
            { option: 'all', label: 'Recall it all.', cost: 'A meal is lost.' },
            { option: 'wait', label: 'Wait.', cost: 'It may be eaten.' },
          ],
          decided_by,
          fallback_option: 'wait',
        },
      },
    }),
    {
      ...said(1, 'All of it, then.', {
        kind: 'acknowledgement',
        beat: 'recall',
        only_if: { beat: 'recall', options: ['all'] },
      }),
      thread_replies: [replyOf(character_id, { content: 'I call them.' })],
    },
    said(5, 'Time is up: we wait.', { kind: 'fallback', beat: 'recall', fallback_for: 'recall' }),
    said(10, 'The ward has nothing left.', { only_if: { beat: 'recall', options: ['all'] } }),
    said(10, 'Two had served it.', { only_if: { beat: 'recall', options: ['wait'] } }),
    said(12, 'Who is told first?', {
      kind: 'decision_point',
      beat: 'telling',
      expectation: {
        act: 'decide',
        deadline_minutes: 10,
        decision: {
          question: 'Who is told first?',
          options: [
            { option: 'authority', label: 'The authority.', cost: 'They may order more.' },
            { option: 'customers', label: 'The customers.', cost: 'The authority asks why.' },
          ],
          fallback_option: 'customers',
        },
      },
    }),
    said(28, 'It is over.'),
  ]

type PlayOptions = Partial<Schema<'SessionCreation'>> & { decided_by?: string[] }

/** An organization in which people make decisions in sessions of a story. */
export async function openDecisions(service: Service) {
  const { call, db } = service
  const stage = await openStage(service)
  const { admin, ben, cleo, join } = stage
  const sessions = sessionsOf(service)
  const { addScenario, create, change } = sessions

  type Story = Parameters<typeof addScenario>[1]

  /** A running session of a story that asks for a decision at the start. Ben and Cleo take part. */
  async function playOf(story: Story, body: Partial<Schema<'SessionCreation'>> = {}) {
    const { scenario_name, character_id } = await addScenario(admin, story)
    const participants = [ben, cleo].map(({ user_id }) => ({ user_id }))
    const { _id } = await create(admin, { scenario_name, participants, ...body })
    await join(_id, ben)
    await join(_id, cleo)
    const { conversations } = await change('startSession', admin, { _id })
    const home = conversations[0]?.conversation_id ?? ''
    const params = { session_id: _id }
    const play: Play = { _id, home, away: character_id, params }
    await until(async () => (await decisions(ben, play)).length > 0)
    return play
  }

  const play = ({ decided_by = [], ...body }: PlayOptions = {}) =>
    playOf(storyWith(decided_by), body)

  const decide = ({ token }: Member, { params }: Play, beat: string, body: object) =>
    call('makeDecision', { token, params: { ...params, beat }, body })

  async function decisions({ token }: Member, { params }: Play) {
    const { body } = await call('listDecisions', { token, params })
    return body as Schema<'SessionDecision'>[]
  }

  const giveRole = ({ _id }: Play, { user_id }: Member, role_key: string) =>
    db
      .updateTable('session_assignments')
      .set({ role_key })
      .where('session_id', '=', _id)
      .where('user_id', '=', user_id)
      .execute()

  return { ...stage, ...sessions, play, playOf, decide, decisions, giveRole }
}

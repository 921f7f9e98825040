import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type HttpRequest, jsonRequest } from '../client.js'
import { askOnce, type Reply, type Statuses } from '../fairness/storm.js'
import type { Side } from '../processes.js'
import { type Decision, deadlineMs, type Ending, options } from './decisions.js'
import type { Play, Scene } from './play.js'

/** What those who decided were answered. */
export interface Answers {
  /** How a decision ended, in each answer that says it. */
  endings: (Ending & Pick<Decision, 'session_id' | 'beat'>)[]
  /** Counts of all answers by their status; 0 where both processes cut the connection. */
  statuses: Statuses
}

/** People decide at most so long before or after the deadline. */
const aroundMs = 500

/**
 * In each round two people of each session decide at about the deadline, each another option at
 * another process. In every third session the second one is the admin, on behalf of participants.
 * Notes what they are answered.
 */
export async function decideAtDeadlines(
  scene: Scene,
  { roundMs, spreadMs }: Pick<Play, 'roundMs' | 'spreadMs'>,
  answers: Answers,
): Promise<void> {
  const { sides, sessions, at } = scene
  const agent = new Agent()
  const decide = async (number: number, round: number, turn: number) => {
    const beat = `decision-${round}`
    const asksMs = round * roundMs + Math.floor((number * spreadMs) / sessions.length)
    const aroundDeadlineMs = asksMs + deadlineMs + (Math.random() * 2 - 1) * aroundMs
    await sleep(at(aroundDeadlineMs).getTime() - Date.now())
    const request = choiceOf(scene, number, beat, turn)
    const reply = await askEither(sides, number + round + turn, request, agent)
    const { status = 0, text = '{}' } = reply ?? {}
    answers.statuses.set(status, (answers.statuses.get(status) ?? 0) + 1)
    const body = JSON.parse(text)
    const ending = status === 200 ? body : body.decision
    if (ending) answers.endings.push({ ...ending, session_id: sessions[number]?._id, beat })
  }
  const rounds = Array.from({ length: scene.rounds }, (_, round) => round)
  await Promise.all(
    rounds.flatMap((round) =>
      sessions.flatMap((_, number) => options.map((_, turn) => decide(number, round, turn))),
    ),
  )
}

/** The request of the first or the second person of a session, who each choose another option. */
function choiceOf(
  { members, sessions }: Scene,
  number: number,
  beat: string,
  turn: number,
): HttpRequest {
  const session = sessions[number]
  const people = members.filter((one) => one.organization_id === session?.organization_id)
  const on_behalf = turn === 1 && number % 3 === 0
  const employees = people.filter(({ role }) => role === 'employee')
  const person = on_behalf ? people.find(({ role }) => role === 'admin') : employees[turn]
  const path = `/api/v1/simulation/sessions/${session?._id}/decisions/${beat}`
  return jsonRequest('PUT', path, { option: options[turn], on_behalf }, person?.token)
}

/** Asks one process, and the other one if no whole answer comes. Returns null if neither answers. */
async function askEither(
  sides: readonly Side[],
  first: number,
  request: HttpRequest,
  agent: Agent,
): Promise<Reply | null> {
  const { signal } = new AbortController()
  for (const number of [first, first + 1]) {
    const reply = await askOnce(sides[number % 2]?.url ?? '', request, agent, signal).catch(
      () => null,
    )
    if (reply) return reply
  }
  return null
}

/** Counts the answers that do not agree with how the decision ended. */
export function countContradicted({ endings }: Answers, decisions: readonly Decision[]): number {
  const keyOf = ({ session_id, beat }: Pick<Decision, 'session_id' | 'beat'>) => session_id + beat
  const found = new Map(decisions.map((one) => [keyOf(one), one]))
  const names = ['status', 'option', 'made_by', 'on_behalf'] as const
  return endings.filter((ending) => {
    const decision = found.get(keyOf(ending))
    return names.some((name) => decision?.[name] !== ending[name])
  }).length
}

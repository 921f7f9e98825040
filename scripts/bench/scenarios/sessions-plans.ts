import { getRequest, send } from '../client.js'
import {
  type Library,
  post,
  type RunningSession,
  registerAccount,
  sessionsPath,
  storeLibrary,
} from '../fairness/scenery.js'
import { median, ratio } from '../measuring/statistics.js'
import { type Side, withService } from '../processes.js'
import { defineScenario } from '../scenario.js'
import { withStage } from '../sessions/stage.js'

const decisions = 20
const messagesOfChannel = 500

const beatOf = (number: number) => `decision-${number % decisions}`

const decision = {
  question: 'What happens to the food from cell 7?',
  options: ['recall', 'wait'].map((option) => ({
    option,
    label: option,
    cost: 'It costs a meal.',
  })),
  decided_by: [],
  fallback_option: 'wait',
}

const expectation = { act: 'decide', deadline_minutes: 5, options: ['recall', 'wait'] }

/** The metadata of a line: first come the lines that ask, then the fallbacks, then all others. */
function metadataOf(number: number, isConditional: boolean) {
  const beat = beatOf(number)
  if (number < decisions) {
    const asked = { ...expectation, ...(isConditional && { decision }) }
    return { beat, drill_minute: 1 + number, expectation: asked }
  }
  const fallback = { kind: 'fallback', fallback_for: beat, drill_minute: 6 + (number % decisions) }
  if (number < 2 * decisions) return fallback
  const options = [number % 2 === 0 ? 'recall' : 'wait']
  const isDependent = isConditional && number % 3 === 0
  return { drill_minute: 30 + (number % 50), ...(isDependent && { only_if: { beat, options } }) }
}

interface Plan {
  name: string
  isConditional: boolean
}

const plans: Plan[] = [
  { name: 'without conditions', isConditional: false },
  { name: 'a third conditional', isConditional: true },
]

const libraryOf = ({ isConditional }: Plan, channels: number): Library => ({
  scenario_name: 'long',
  channels,
  messages: messagesOfChannel,
  content: (number) => `Line ${number}: we look at the cells again before the review.`,
  metadata: (number) => metadataOf(number, isConditional),
})

/** Stores the templates of a plan, and returns what plans them once and how long that took. */
async function planner({ url }: Side, plan: Plan, channels: number) {
  const account = await registerAccount(url)
  const owner = { url, account }
  await storeLibrary(owner, libraryOf(plan, channels))
  const session = { name: 'A long session', scenario_name: 'long' }
  const { _id } = await post<RunningSession>(owner, sessionsPath, session, 201)
  const request = getRequest(account.token, `${sessionsPath}/${_id}/readiness`)
  const lines = channels * messagesOfChannel
  return async () => {
    const { body, milliseconds } = await send(url, request, 200)
    const { planned, warnings } = Object(body)
    if (planned !== lines || warnings.length > 0) throw new Error('The plan is not as it was made')
    return milliseconds
  }
}

const warmups = 4

/** Plans all plans in turns, and returns the milliseconds of each. */
async function timesOf(side: Side, channels: number, rounds: number): Promise<number[][]> {
  const planners: (() => Promise<number>)[] = []
  for (const plan of plans) planners.push(await planner(side, plan, channels))
  const turns = planners.map((planOnce) => ({ planOnce, times: [] as number[] }))
  for (let round = -warmups; round < rounds; round++) {
    // So that none is always the first.
    for (const { planOnce, times } of round % 2 === 0 ? turns : turns.toReversed()) {
      const milliseconds = await planOnce()
      if (round >= 0) times.push(milliseconds)
    }
  }
  return turns.map(({ times }) => times)
}

export const sessionsPlans = defineScenario({
  name: 'sessions-plans',
  question: 'How much longer does it take to plan 10,000 lines if they depend on decisions?',
  goals: { 'a third of the lines conditional ÷ none': { atMost: 1.2 } },
  run: ({ options, database }) =>
    withStage(database.url, ({ databaseUrl }) =>
      withService({ databaseUrl }, async (side) => {
        const channels = options.small ? 2 : 20
        const times = await timesOf(side, channels, 8 * options.rounds)
        const [without = null, conditional = null] = times.map(median)
        return {
          title: `getSessionReadiness of ${channels * messagesOfChannel} lines`,
          rows: plans.map(({ name }, i) => {
            const own = times[i] ?? []
            return { plan: name, 'p50 ms': median(own), 'fastest ms': Math.min(...own) }
          }),
          figures: { 'a third of the lines conditional ÷ none': ratio(conditional, without) },
        }
      }),
    ),
})

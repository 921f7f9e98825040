import { describeStatuses } from '../fairness/storm.js'
import { ratio } from '../measuring/statistics.js'
import { defineScenario } from '../scenario.js'
import { type Answers, countContradicted, decideAtDeadlines } from '../sessions/deciding.js'
import {
  type Decision,
  deadlineMs,
  roundWithDecision,
  selectDecisions,
} from '../sessions/decisions.js'
import { faultsOf } from '../sessions/delivery.js'
import { play, sumOf } from '../sessions/play.js'
import type { DecisionEvent, Following } from '../sessions/reader.js'

const textOf = ({ beat, status, option }: DecisionEvent) => `${beat} ${status} ${option}`

/** Counts the decisions whose asking or ending a reader did not read exactly once. */
function countMisread(following: Following, decisions: readonly Decision[]): number {
  const own = decisions.filter(({ session_id }) => session_id === following.session_id)
  const events = own.flatMap((one) => [{ ...one, status: 'open', option: null }, one])
  const counts = new Map(events.map((one) => [textOf(one), -1]))
  for (const one of following.decisions) {
    counts.set(textOf(one), (counts.get(textOf(one)) ?? 0) + 1)
  }
  return [...counts.values()].filter((count) => count !== 0).length
}

/** Plays sessions in which people decide while processes are killed. */
async function playDecisions(server: string, small: boolean) {
  const size = small ? { sessions: 20, readers: 10 } : { sessions: 200, readers: 50 }
  const times = { roundMs: 8_000, spreadMs: 1_000, fromMs: 0, toMs: (small ? 3 : 20) * 8_000 }
  const plan = { round: roundWithDecision, employees: 2, killsAfterMs: deadlineMs }
  const answers: Answers = { endings: [], statuses: new Map() }
  const played = await play(
    server,
    { ...size, ...times, ...plan },
    {
      act: (scene) => decideAtDeadlines(scene, times, answers),
      look: selectDecisions,
    },
  )
  return { ...played, decisions: played.seen ?? [], answers }
}

type Played = Awaited<ReturnType<typeof playDecisions>>

const isMade = ({ status }: Decision) => status === 'decided'

function rowOf({ sessions, decisions, due, withheld, missing, max }: Played) {
  const made = decisions.filter(isMade)
  const onBehalf = made.filter(({ on_behalf }) => on_behalf)
  return {
    ...{ sessions, decisions: decisions.length, made: made.length, 'on behalf': onBehalf.length },
    ...{ messages: due, withheld, missing, 'max ms': max },
  }
}

export const sessionsDecisions = defineScenario({
  name: 'sessions-decisions',
  question: 'Does each decision count once when a process is killed at its deadline?',
  goals: {
    'decisions not asked, or not ended once and in one way': { atMost: 0 },
    'answers that the outcome contradicts': { atMost: 0 },
    'share of the decisions that people made': { atLeast: 0.2, atMost: 0.9 },
    'messages missing': { atMost: 0 },
    'messages twice, unwanted, out of order or without an event': { atMost: 0 },
    'readers: left out, again or out of order': { atMost: 0 },
    'readers: not read': { atMost: 0 },
    'readers: decisions not read once': { atMost: 0 },
  },
  run: async ({ options: { small }, database }) => {
    const played = await playDecisions(database.url, small)
    const { decisions, answers, read, sent, rounds, readers } = played
    const wanted = played.sessions * rounds
    return {
      title: `kill -9 at a deadline in each of ${rounds} rounds`,
      rows: [rowOf(played)],
      figures: {
        'decisions not asked, or not ended once and in one way':
          wanted - decisions.filter(({ isSound }) => isSound).length,
        'answers that the outcome contradicts': countContradicted(answers, decisions),
        'share of the decisions that people made': ratio(decisions.filter(isMade).length, wanted),
        'messages missing': played.missing,
        'messages twice, unwanted, out of order or without an event': faultsOf(played),
        'readers: left out, again or out of order': sumOf(read, ({ misplaced }) => misplaced),
        'readers: not read': sent - sumOf(read, ({ messages }) => messages),
        'readers: decisions not read once': sumOf(read, (one) => countMisread(one, decisions)),
      },
      notes: [
        `Answers to decisions: ${describeStatuses(answers.statuses)}.`,
        `${readers} readers met ${sumOf(read, ({ breaks }) => breaks)} breaks.`,
      ],
    }
  },
})

import { defineScenario } from '../scenario.js'
import { type Delivery, faultsOf } from '../sessions/delivery.js'
import { type Play, play, sumOf } from '../sessions/play.js'

const minuteMs = 60_000

const rowOf = ({ sessions, isConditional, due, withheld, missing, ...late }: Delivery & Play) => ({
  sessions,
  conditional: isConditional ? 'a third' : 'none',
  ...{ messages: due, withheld, missing },
  ...{ 'p50 ms': late.p50, 'p99 ms': late.p99, 'max ms': late.max },
})

export const sessionsLag = defineScenario({
  name: 'sessions-lag',
  question: 'Are the messages of 10,000 sessions on time with two processes?',
  goals: {
    'delay of a message, p99, most sessions': { atMost: 1_500, unit: ' ms' },
    'the same, with a third of the lines conditional': { atMost: 1_500, unit: ' ms' },
    'messages missing': { atMost: 0 },
    'messages twice, unwanted, out of order or without an event': { atMost: 0 },
  },
  run: async ({ options: { small }, database }) => {
    const [fromMs, toMs] = small ? [5_000, 20_000] : [minuteMs, 3 * minuteMs]
    const size = { roundMs: minuteMs, spreadMs: minuteMs, fromMs, toMs, readers: 0 }
    const most = small ? 100 : 10_000
    const played = []
    for (const sessions of small ? [most] : [100, 1_000, most]) {
      played.push(await play(database.url, { ...size, sessions }))
    }
    const conditional = await play(database.url, { ...size, sessions: most, isConditional: true })
    const all = [...played, conditional]
    return {
      title: 'delay of messages, one a minute of each session',
      rows: all.map(rowOf),
      figures: {
        'delay of a message, p99, most sessions': played.at(-1)?.p99 ?? null,
        'the same, with a third of the lines conditional': conditional.p99,
        'messages missing': sumOf(all, ({ missing }) => missing),
        'messages twice, unwanted, out of order or without an event': sumOf(all, faultsOf),
      },
    }
  },
})

export const sessionsKills = defineScenario({
  name: 'sessions-kills',
  question: 'What do sessions and their readers lose when one of two processes is killed?',
  goals: {
    'delay of a message, longest': { atMost: 2_000, unit: ' ms' },
    'messages missing': { atMost: 0 },
    'messages twice, out of order or without their audit event': { atMost: 0 },
    'readers: left out, again or out of order': { atMost: 0 },
    'readers: not read': { atMost: 0 },
  },
  run: async ({ options: { small }, database }) => {
    const size = small ? { sessions: 100, readers: 10 } : { sessions: 500, readers: 50 }
    const times = { roundMs: 8_000, spreadMs: 1_000, fromMs: 0, toMs: (small ? 3 : 20) * 8_000 }
    const played = await play(database.url, { ...size, ...times, killsAfterMs: 0 })
    const { read, sent, rounds } = played
    return {
      title: `kill -9 of one of two processes in each of ${rounds} rounds`,
      rows: [rowOf(played)],
      figures: {
        'delay of a message, longest': played.max,
        'messages missing': played.missing,
        'messages twice, out of order or without their audit event': faultsOf(played),
        'readers: left out, again or out of order': sumOf(read, ({ misplaced }) => misplaced),
        'readers: not read': sent - sumOf(read, ({ messages }) => messages),
      },
      notes: [`${size.readers} readers met ${sumOf(read, ({ breaks }) => breaks)} breaks.`],
    }
  },
})

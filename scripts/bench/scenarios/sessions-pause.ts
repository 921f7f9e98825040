import { jsonRequest, send } from '../client.js'
import type { Goal } from '../report.js'
import { insertMembers, insertSessions, settle, withStage } from '../sessions/stage.js'
import type { Scenario } from '../setting.js'
import { withService } from '../sides.js'
import { median, ratio } from '../statistics.js'

const hourMs = 3_600_000
const mostRatio = 1.3
const samplesPerRound = 200
const warmUps = 50
const acts = ['pause', 'resume'] as const

/** Whether stopping and starting a clock costs more where there is a longer plan. */
export const sessionsPause: Scenario = {
  name: 'sessions-pause',
  run: ({ options, database }) =>
    withStage(database.url, async ({ db, databaseUrl }) => {
      const [admin] = await insertMembers(db, { organizations: 1 })
      if (!admin) throw new Error('There is no admin')
      const { organization_id, token } = admin
      const anchorAt = new Date()
      const plan = { organizations: [organization_id], sessions: 1, everyMs: hourMs, spreadMs: 0 }
      const sessions: { lines: number; _id: string }[] = []
      for (const lines of [10, 10_000]) {
        const played = await insertSessions(db, { ...plan, lines, anchorAt })
        for (const { _id } of played) sessions.push({ lines, _id })
      }
      await settle(db)
      const times = sessions.map(() => ({ pause: [] as number[], resume: [] as number[] }))
      const samples = samplesPerRound * (options.small ? 1 : options.rounds)
      await withService(databaseUrl, async ({ url }) => {
        for (let sample = -warmUps; sample < samples; sample++) {
          // Neither is always the first.
          const turn = sample % 2 === 0 ? [0, 1] : [1, 0]
          for (const act of acts) {
            for (const i of turn) {
              const path = `/api/v1/simulation/sessions/${sessions[i]?._id}/${act}`
              const { milliseconds } = await send(url, jsonRequest('POST', path, {}, token), 200)
              if (sample >= 0) times[i]?.[act].push(milliseconds)
            }
          }
        }
      })
      const p50 = (i: number, act: 'pause' | 'resume') => median(times[i]?.[act] ?? [])
      const rows = sessions.map(({ lines }, i) => {
        return {
          plan: lines,
          samples,
          'pause p50 ms': p50(i, 'pause'),
          'resume p50 ms': p50(i, 'resume'),
        }
      })
      const goals: Goal[] = acts.map((act) => {
        const value = ratio(p50(1, act), p50(0, act))
        return { what: `${act}, plan of 10,000 messages ÷ of 10`, value, atMost: mostRatio }
      })
      return { title: 'pause and resume, in turns', rows, goals }
    }),
}

import { ratingOf } from '../../src/experiment-results/outcomes/ratings.js'
import { expectationsMet } from '../../src/experiment-results/outcomes/statistics.js'
import { threadsOf } from '../../src/experiment-results/outcomes/transcript.js'
import { openLab } from '../helpers/experiments.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { stepsOf } from '../helpers/steps.js'

/** A thread in which a character waits for `count` answers, and gets none. */
function unanswered(count: number) {
  const line = { conversation_id: 'home', sender_id: 'bot', sender_kind: 'character' } as const
  const rest = { kind: null, beat: null, injected: false, deadline_minutes: 0 }
  const messages = Array.from({ length: count }, (_, i) => {
    return { ...line, ...rest, _id: `m-${i}`, thread_id: i === 0 ? null : 'm-0', offset_ms: i }
  })
  return threadsOf(messages, [])
}

t.test('The cost of an unmet expectation does not grow with their number', async (t) => {
  const [few, many] = [unanswered(100), unanswered(1_000)]
  const steps = (threads: typeof few) => stepsOf(() => expectationsMet(threads, []))
  t.ok(steps(many) <= 10 * steps(few), `${steps(few)} and ${steps(many)} steps`)
})

t.test('The cost of a rating does not grow with the number of raters', async (t) => {
  const by = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      return { rater_id: `r-${i}`, subject: 'team', criterion: 'Calm', value: i }
    })
  const [few, many] = [by(100), by(1_000)]
  const steps = (ratings: typeof few) => stepsOf(() => ratingOf(ratings, 'Calm'))
  t.ok(steps(many) <= 10 * steps(few), `${steps(few)} and ${steps(many)} steps`)
  t.equal(ratingOf(many, 'Calm'), 499.5)
})

t.test('concludeExperiment', async (t) => {
  const service = await startService(t, {}, { isAlone: true })
  const { app, registerAdmin } = service
  const admin = await registerAdmin()
  const { draft, conclude, run } = openLab(service, admin)
  const played = { joined: [admin.user_id], lines: [{ by: 'participant', minute: 1 } as const] }

  t.test('pauses for other requests while it measures', async (t) => {
    const _id = await draft()
    await run(_id, { control: [played, played], intervention: [played, played] })
    let pauses = 0
    const { slices } = app
    const { pauseOf } = slices
    slices.pauseOf = (key) => {
      const pause = pauseOf.call(slices, key)
      return () => {
        pauses++
        return pause()
      }
    }
    t.teardown(() => {
      slices.pauseOf = pauseOf
    })
    t.equal((await conclude(_id)).status, 200)
    t.ok(pauses >= 4 * 5, 'before each outcome of each session')
  })
})

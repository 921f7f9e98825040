import { FreeNames } from '../../src/channel-templates/files/mattermost-names.js'
import { compilePlan } from '../../src/simulation-sessions/plan/compile-plan.js'
import type { Line } from '../../src/simulation-sessions/plan/lines.js'
import { t } from '../helpers/file.js'
import { stepsOf } from '../helpers/steps.js'

/** The factor by which the steps grow when the input is ten times as long. */
function growthOf(run: (count: number) => void): number {
  return stepsOf(() => run(10_000)) / stepsOf(() => run(1_000))
}

/** Lines in pairs: one that waits for an answer, and its fallback. */
function linesOf(count: number): Line[] {
  const conversation = { conversation_id: 'c', channel_id: 'c', channel_name: 'home' }
  const none = {
    isAcknowledgement: false,
    artefact: null,
    decision: null,
    conditions: null,
    deadline_ms: null,
    acknowledges: null,
    lapses: null,
  }
  const fields = {
    content: 'How?',
    isCut: false,
    conversation,
    sender_id: 's',
    kind: null,
    ...none,
  }
  return Array.from({ length: count }, (_, i) => ({
    ...fields,
    parent: null,
    offset_ms: i * 60_000,
    beat: i % 2 === 0 ? `beat ${i}` : null,
    fallback_for: i % 2 === 0 ? null : `beat ${i - 1}`,
    expectation:
      i % 2 === 0 ? { act: 'decide', deadline_minutes: 5, options: [], decision: null } : null,
  }))
}

t.test('Ten times the input takes at most twelve times the steps', async (t) => {
  t.test('in a plan of lines that wait', async (t) => {
    t.ok(growthOf((count) => compilePlan(linesOf(count), { timing: 'calendar' })) <= 12)
    const { entries } = compilePlan(linesOf(4), { timing: 'calendar' })
    t.match(entries, [
      { unless_answered: null, expectation: { deadline_minutes: 1 } },
      { unless_answered: 0, expectation: null },
      { unless_answered: null, expectation: { deadline_minutes: 1 } },
      { unless_answered: 2, expectation: null },
    ])
  })

  t.test('in similar names of channels', async (t) => {
    const texts: Record<string, (i: number) => string> = {
      'without a Latin letter': () => '人事',
      'with their own numbers': (i) => (i % 2 === 0 ? 'room' : `room ${i}`),
      'that differ only at the end': (i) => `${'a'.repeat(60)}${i % 100}`,
    }
    for (const [title, textOf] of Object.entries(texts)) {
      const take = (count: number) => {
        const names = new FreeNames()
        const taken = Array.from({ length: count }, (_, i) => names.take(textOf(i), 'channel'))
        return taken
      }
      t.ok(growthOf(take) <= 12, title)
      const names = take(1_000)
      t.equal(new Set(names).size, 1_000, title)
      t.ok(
        names.every((name) => /^[a-z0-9-]{2,64}$/.test(name)),
        title,
      )
    }
  })
})

import { bareScenario, type Line, type Play } from '../helpers/ended-sessions.js'
import { byName, openLab } from '../helpers/experiments.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const service = await startService(t)
const admin = await service.registerAdmin()
const { draft, run, conclude } = openLab(service, admin)
const people = await Promise.all(
  [1, 2, 3].map(() => service.addMember(admin.organization_id, 'employee')),
)
const joined = people.map(({ user_id }) => user_id)
const [rater = '', other = '', third = ''] = joined

const character = (minute: number, rest: Partial<Line> = {}) => {
  return { by: 'character', minute, ...rest } as const
}
const participant = (who: number, minute: number, rest: Partial<Line> = {}) => {
  return { by: 'participant', who, minute, ...rest } as const
}

/** Returns the outcomes of a session that is the only one in its arm. */
async function valuesOf(play: Play): Promise<Record<string, number | null>> {
  const experiment_id = await draft()
  await run(experiment_id, { control: [play], intervention: [] })
  const { body } = await conclude(experiment_id)
  const found = Object.entries(byName(body)).map(([name, { control }]) => [name, control.mean])
  return Object.fromEntries(found)
}

const lines: Line[] = [
  character(-30, { beat: 'briefing', deadline_minutes: 10 }),
  character(0, { beat: 'repair', deadline_minutes: 10 }),
  participant(0, 1, { to: 0 }),
  character(5, { beat: 'repair', deadline_minutes: 5 }),
  participant(1, 10, { to: 1 }),
  participant(0, 12, { to: 3 }),
  character(15, { to: 1, deadline_minutes: 5 }),
  character(20, { channel: 'hall' }),
  character(25, { to: 7, deadline_minutes: 5 }),
  participant(0, 30, { channel: 'hall' }),
  character(31, { to: 9, channel: 'hall', deadline_minutes: 5 }),
  participant(1, 33, { to: 9, channel: 'hall' }),
  participant(1, 40, { to: 1 }),
]

t.test('concludeExperiment', async (t) => {
  t.test('computes the outcomes of every scenario', async (t) => {
    t.strictSame(await valuesOf({ joined, lines }), {
      // The lines at 0 and 31 are met, those at 5, 15 and 25 are not. The line at -30 is history.
      expectations_met: 2 / 5,
      // The threads from 0 and 5 have answers, after 10 and 7 minutes. The thread from 20 has none.
      answered_share: 2 / 3,
      first_answer_minutes: 8.5,
      // Six messages of three people: three, three and none.
      messages_per_participant: 2,
      participation_balance: Math.log(2) / Math.log(3),
    })
  })

  t.test('counts an answer at the deadline as in time, and a later one as late', async (t) => {
    const answeredAt = (minute: number) => [
      character(3, { deadline_minutes: 4 }),
      participant(0, minute, { to: 0 }),
    ]
    t.equal((await valuesOf({ joined, lines: answeredAt(7) })).expectations_met, 1)
    t.equal((await valuesOf({ joined, lines: answeredAt(7.001) })).expectations_met, 0)
  })

  t.test('ignores answers of characters and answers in other threads', async (t) => {
    const elsewhere = [
      character(0, { deadline_minutes: 10 }),
      character(1, { to: 0 }),
      participant(0, 2),
    ]
    t.match(await valuesOf({ joined, lines: elsewhere }), {
      expectations_met: 0,
      answered_share: 0,
      messages_per_participant: 1 / 3,
      participation_balance: 0,
    })
  })

  t.test('expects no answer to a fallback, which replaces an answer', async (t) => {
    const fallback = [
      character(0),
      participant(0, 1, { to: 0 }),
      character(6, { kind: 'fallback' }),
    ]
    t.match(await valuesOf({ joined, lines: fallback }), { answered_share: 1 })
  })

  t.test('has no value when there is no data to compute it from', async (t) => {
    t.strictSame(await valuesOf({}), {}, 'no one joined, no one spoke')
    t.strictSame(await valuesOf({ joined }), { messages_per_participant: 0 })
    const alone = { joined: [rater], invited: [other], lines: [participant(0, 1)] }
    t.strictSame(
      await valuesOf(alone),
      { messages_per_participant: 1 },
      'one person has no balance',
    )
  })

  t.test("computes the scenario's own measures of a beat and of a channel", async (t) => {
    const measure = (statistic: string, beat: string | null, channel_name: string | null) => {
      return { label: 'Own', statistic, beat, channel_name }
    }
    const measures = [
      measure('answered_share', 'repair', null),
      measure('participants_answering', 'repair', null),
      measure('first_answer_minutes', 'repair', null),
      measure('message_count', 'repair', null),
      measure('message_count', 'briefing', null),
      measure('message_count', 'never', null),
      measure('participation_balance', 'repair', null),
      measure('answered_share', null, 'hall'),
      measure('first_answer_minutes', null, 'hall'),
      measure('threads_joined', null, 'hall'),
      measure('threads_joined', null, null),
    ] as typeof bareScenario.measures
    const values = await valuesOf({ joined, lines, scenario: { ...bareScenario, measures } })
    t.match(values, {
      'answered_share:repair': 1,
      'participants_answering:repair': 2 / 3,
      'first_answer_minutes:repair': 8.5,
      'message_count:repair': 3,
      'message_count:briefing': 1,
      'message_count:never': 0,
      'answered_share:hall': 0,
      'threads_joined:hall': 1,
      threads_joined: 4,
    })
    t.notOk('first_answer_minutes:hall' in values, 'no one answered there')
    const balance = ((2 / 3) * Math.log(3 / 2) + (1 / 3) * Math.log(3)) / Math.log(3)
    t.ok(Math.abs((values['participation_balance:repair'] ?? 0) - balance) < 1e-12)
  })

  const rubric = [
    { criterion: 'Clear', question: 'Is it clear?', scale: { type: 'ordinal', min: 1, max: 5 } },
    { criterion: 'Calm', question: 'Is it calm?', scale: { type: 'boolean' } },
    { criterion: 'Notes', question: 'What else?', scale: { type: 'text' } },
  ]
  const scenario = { ...bareScenario, rubric }

  t.test("uses the mean of a team's raters as its rating", async (t) => {
    const ratings = [
      { rater_id: rater, criterion: 'Clear', value: 4 },
      { rater_id: other, criterion: 'Clear', value: 2 },
      { rater_id: other, subject: 'somebody', criterion: 'Clear', value: 5 },
      { rater_id: third, subject: 'somebody', criterion: 'Clear', value: 1 },
      { rater_id: third, subject: 'somebody else', criterion: 'Clear', value: 2 },
      { rater_id: rater, criterion: 'Calm', value: true },
      { rater_id: other, criterion: 'Calm', value: false },
      { rater_id: rater, criterion: 'Notes', value: '5' },
    ]
    t.strictSame(await valuesOf({ scenario, ratings }), {
      'rubric:Clear': (4 + 2 + 1.5) / 3,
      'rubric:Calm': 0.5,
    })
  })

  t.test('shows how far raters agree about the teams', async (t) => {
    const rated = (...values: number[]) => ({
      scenario,
      ratings: values.map((value, i) => ({ rater_id: joined[i] ?? '', criterion: 'Clear', value })),
    })
    const experiment_id = await draft()
    await run(experiment_id, {
      control: [rated(1, 1), rated(5, 5)],
      intervention: [rated(3, 3, 3), rated(2)],
    })
    const { body } = await conclude(experiment_id)
    t.strictSame(body.agreement, [{ criterion: 'Clear', alpha: 1, raters: 3, units: 3 }])
  })
})

import pg from 'pg'
import { askFor, openDecisions, said, storyWith } from '../helpers/decisions.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { skipUnlessServer } from '../helpers/skips.js'
import { replyOf } from '../helpers/templates.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { call } = service
const { admin, bot, ben, play, playOf, decide, decisions, change, pass, waitForTexts } =
  await openDecisions(service)

t.test('listDecisions', async (t) => {
  t.test('shows participants only the decisions that were asked for, and until when', async (t) => {
    const session = await play()
    const found = await decisions(ben, session)
    const { started_at } = (await call('getSession', { token: ben.token, params: session.params }))
      .body
    t.match(found, [
      {
        beat: 'recall',
        status: 'open',
        question: 'What happens to the food?',
        options: [
          { option: 'all', label: 'Recall it all.', cost: 'A meal is lost.', follows: null },
          { option: 'wait', label: 'Wait.', cost: 'It may be eaten.', follows: null },
        ],
        decided_by: [],
        fallback_option: null,
        deadline_minutes: 5,
        deadline_at: new Date(Date.parse(started_at) + 300_000).toISOString(),
        option: null,
      },
    ])
    t.equal(found.length, 1)
  })

  t.test('shows trainers all decisions, and what follows each option', async (t) => {
    const session = await play()
    const [recall, telling] = await decisions(admin, session)
    t.equal(recall?.fallback_option, 'wait')
    const follows = recall?.options.map((one) => one.follows?.map(({ content }) => content))
    t.strictSame(follows, [
      ['All of it, then.', 'I call them.', 'The ward has nothing left.'],
      ['Two had served it.'],
    ])
    t.match(telling, { beat: 'telling', status: 'planned', message_id: null, asked_at: null })
    t.strictSame(
      [recall, telling].map((one) => one?.asked_offset_ms),
      [0, 12 * 60_000],
    )
  })

  t.test('cuts a long text that follows after 300 characters, and no emoji in two', async (t) => {
    const session = await playOf((character_id) => [
      ...storyWith()(character_id),
      said(25, `A${'👩‍🚒'.repeat(150)}`, { only_if: { beat: 'recall', options: ['wait'] } }),
    ])
    const [recall] = await decisions(admin, session)
    const last = recall?.options[1]?.follows?.at(-1)
    t.equal(last?.content, `A${'👩‍🚒'.repeat(99)}`)
  })

  t.test('leaves out what an earlier decision has ruled out', async (t) => {
    const needs = (recall: string) => [
      { beat: 'recall', options: [recall] },
      { beat: 'telling', options: ['authority'] },
    ]
    const session = await playOf((character_id) => [
      ...storyWith()(character_id),
      said(25, 'They asked for the list.', { only_if: needs('all') }),
      said(25, 'They ordered a recall.', { only_if: needs('wait') }),
    ])
    const follows = async () => {
      const [, telling] = await decisions(admin, session)
      return telling?.options[0]?.follows?.map(({ content }) => content)
    }
    t.strictSame(await follows(), ['They asked for the list.', 'They ordered a recall.'])
    await decide(ben, session, 'recall', { option: 'all' })
    t.strictSame(await follows(), ['They asked for the list.'])
  })

  t.test('leaves out what belongs to another decision that has ended', async (t) => {
    const needs = [
      { beat: 'recall', options: ['all'] },
      { beat: 'telling', options: ['authority'] },
    ]
    const session = await playOf((character_id) => [
      ...storyWith()(character_id),
      said(5, 'They know already.', { fallback_for: 'recall', only_if: needs[1] }),
      said(14, 'The caller asks.', {
        ...askFor('caller', ['yes', 'no'], 'no')(10),
        only_if: needs[0],
      }),
      said(14, 'Both are called.', {
        kind: 'acknowledgement',
        only_if: [needs[1], { beat: 'caller', options: ['yes'] }],
      }),
      said(27, 'All know.', { only_if: needs }),
    ])
    const follows = async () => {
      const found = await decisions(admin, session)
      const telling = found.find(({ beat }) => beat === 'telling')
      return telling?.options[0]?.follows?.map(({ content }) => content)
    }
    t.strictSame(await follows(), ['They know already.', 'Both are called.', 'All know.'])
    await decide(ben, session, 'recall', { option: 'all' })
    t.strictSame(await follows(), ['Both are called.', 'All know.'])
    await pass(session, 15)
    await waitForTexts(session, 7)
    await decide(ben, session, 'caller', { option: 'yes' })
    t.strictSame(await follows(), ['All know.'])
  })

  t.test('has the replies of a fallback only if it was posted', async (t) => {
    const reply = { drill_minute: 25, only_if: { beat: 'telling', options: ['authority'] } }
    const session = () =>
      playOf((character_id) => [
        ...storyWith()(character_id).filter(({ content }) => content !== 'Time is up: we wait.'),
        {
          ...said(5, 'We wait, then.', { fallback_for: 'recall' }),
          thread_replies: [replyOf(character_id, { content: 'They ask why.', metadata: reply })],
        },
      ])
    const follows = async (play: Awaited<ReturnType<typeof session>>) => {
      const [, telling] = await decisions(admin, play)
      return telling?.options[0]?.follows?.map(({ content }) => content)
    }
    const lapsed = await session()
    t.strictSame(await follows(lapsed), ['They ask why.'])
    await pass(lapsed, 6)
    await waitForTexts(lapsed, 3)
    t.strictSame(await follows(lapsed), ['They ask why.'])
    const decided = await session()
    await decide(ben, decided, 'recall', { option: 'wait' })
    t.strictSame(await follows(decided), [])
  })

  t.test('has no deadline while the clock stands still', async (t) => {
    const session = await play({ speed: 2 })
    await change('pauseSession', admin, session)
    const [paused] = await decisions(ben, session)
    t.match(paused, { status: 'open', deadline_at: null })
    const left_ms = paused?.left_ms ?? 0
    t.ok(left_ms > 0 && left_ms <= 150_000, 'five minutes are half as long at this speed')
    t.match(await decisions(ben, session), [{ left_ms }], 'it stands still')
    await change('resumeSession', admin, session)
    const [open] = await decisions(ben, session)
    t.type(open?.deadline_at, 'string')
    t.equal(open?.left_ms, null)
  })

  t.test(
    'does not say that nothing follows when the session ends meanwhile',
    { skip: skipUnlessServer },
    async (t) => {
      const session = await play()
      const client = new pg.Client({ connectionString: service.databaseUrl ?? '' })
      await client.connect()
      t.teardown(() => client.end())
      await client.query('begin; lock table session_plan in access exclusive mode')
      const reading = decisions(admin, session)
      await until(async () => {
        const { rows } = await client.query(
          "select from pg_locks where relation = 'session_plan'::regclass and not granted",
        )
        return rows.length > 0
      })
      await client.query('delete from session_plan where session_id = $1', [session._id])
      await client.query('commit')
      t.match(await reading, [{ beat: 'recall', options: [{ follows: null }, { follows: null }] }])
    },
  )

  t.test('is unknown to users without a role in the session', async (t) => {
    const session = await play()
    const { params } = session
    const other = await call('listDecisions', { token: bot.token, params })
    t.equal(other.status, 404, 'a bot that is not in the cast')
  })
})

import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { addCharacter, ask, messageOf, optionsOf, replyOf } from '../helpers/templates.js'

const { call, db, registerAdmin } = await startService(t)
const { token, organization_id } = await registerAdmin()
const marta = await addCharacter(db, organization_id, { username: 'marta' })

type Fault = Schema<'ValidationErrorItem'>
const say = (metadata: object, fields: object = {}) =>
  messageOf(marta, { metadata: { ...metadata }, ...fields })
const create = (message_templates: object[], fields: object = {}) =>
  call('createChannelTemplate', {
    token,
    body: { channel_name: createId(), scenario_name: createId(), message_templates, ...fields },
  })

/** The places and types of warnings, without those of options on which nothing depends. */
const shorten = (warnings: Fault[]) =>
  warnings
    .filter(({ type }) => type !== 'no_consequence')
    .map(({ loc, type }) => [loc.slice(2).join(' ').replace(' metadata', ''), type])
const warned = async (...args: Parameters<typeof create>) =>
  shorten((await create(...args)).body.warnings)

const on = (beat: string, ...options: string[]) => ({ beat, options })

t.test('A template that branches', async (t) => {
  t.test('has no warnings if each line fits the decisions', async (t) => {
    const { body } = await create([
      say(ask('a', { drill_minute: 5 })),
      say({ kind: 'acknowledgement', only_if: on('a', 'yes'), drill_minute: 5 }),
      say({ kind: 'acknowledgement', only_if: on('a', 'no'), drill_minute: 5 }),
      say({ fallback_for: 'a', drill_minute: 15 }),
      say(ask('b', { only_if: on('a', 'yes'), drill_minute: 20 })),
      say({
        kind: 'acknowledgement',
        only_if: [on('b', 'yes'), on('a', 'yes')],
        drill_minute: 20,
      }),
      say({ only_if: [on('a', 'yes'), on('b', 'no')], drill_minute: 40 }),
      say({ unless: on('b', 'no'), drill_minute: 40 }),
    ])
    t.strictSame(body.warnings, [])
  })

  t.test('has a warning for an unknown decision or option that names the known ones', async (t) => {
    const { body } = await create([
      say(ask('a')),
      say({ only_if: on('aa', 'yes') }),
      say({ only_if: [on('a', 'yes'), on('a', 'no', 'later')] }),
      say({ unless: on('b', 'x') }),
      say({ fallback_for: 'b' }),
    ])
    t.strictSame(shorten(body.warnings), [
      ['1 only_if beat', 'unknown_decision'],
      ['2 only_if 1 options 1', 'unknown_option'],
      ['2 only_if', 'unreachable'],
      ['3 unless beat', 'unknown_decision'],
      ['4 fallback_for', 'unknown_decision'],
    ])
    t.match(body.warnings[0].msg, /asks for a$/)
    t.match(body.warnings[1].msg, /has yes and no$/)
  })

  t.test('accepts a fallback for an expectation without a decision, in any channel', async (t) => {
    const scenario_name = createId()
    await create([say({ beat: 'x', expectation: { deadline_minutes: 5 } })], { scenario_name })
    t.strictSame(await warned([say({ fallback_for: 'x' })], { scenario_name }), [])
  })

  t.test('has a warning for a line that no path reaches', async (t) => {
    const replies = [
      replyOf(marta, { metadata: { only_if: on('a', 'no') } }),
      replyOf(marta, { metadata: { only_if: on('a', 'yes') } }),
    ]
    const lines = [
      say(ask('a', { arm: 'control' })),
      say(ask('b', { only_if: on('a', 'yes') })),
      say({ only_if: [on('a', 'yes'), on('a', 'no')] }),
      say({ only_if: on('b', 'yes'), unless: on('a', 'yes') }),
      say({ only_if: on('a', 'yes'), arm: 'intervention' }),
      say({ fallback_for: 'a', only_if: on('a', 'no') }),
      say({ fallback_for: 'a', only_if: on('a', 'yes') }),
      say({ unless: on('a', 'yes', 'no') }),
      say({ only_if: on('a', 'yes') }, { thread_replies: replies }),
    ]
    t.strictSame(
      (await warned(lines)).filter(([, type]) => type !== 'self_answered'),
      [
        ['2 only_if', 'unreachable'],
        ['3 only_if', 'unreachable'],
        ['4 only_if', 'unreachable'],
        ['6 only_if', 'unreachable'],
        ['8 thread_replies 0 only_if', 'unreachable'],
      ],
    )
  })

  t.test('has a warning for decisions that wait for each other', async (t) => {
    const lines = [
      say(ask('a', { only_if: on('b', 'yes') })),
      say(ask('b', { only_if: on('a', 'yes') })),
      say({ only_if: on('b', 'no') }),
      say(ask('c', { only_if: on('c', 'yes') })),
    ]
    t.strictSame(await warned(lines), [
      ['0 only_if', 'decision_loop'],
      ['1 only_if', 'decision_loop'],
      ['2 only_if', 'unreachable'],
      ['3 only_if', 'decision_loop'],
    ])
  })

  t.test('has a warning for an option on which nothing depends', async (t) => {
    const { body } = await create([say(ask('a')), say({ only_if: on('a', 'yes') })])
    const place = ['0', 'metadata', 'expectation', 'decision', 'options', '1']
    const loc = ['body', 'message_templates', ...place]
    t.match(body.warnings, [{ loc, type: 'no_consequence' }])
    t.equal(body.warnings.length, 1)
  })

  t.test('has a warning for a decision that is already asked in the same arm', async (t) => {
    const lines = [
      say(ask('a', { drill_minute: 9 })),
      say(ask('a', { drill_minute: 5 })),
      say(ask('b', { arm: 'control' })),
      say(ask('b', { arm: 'intervention' })),
    ]
    const expected = [['0 expectation decision', 'repeated_decision']]
    t.strictSame(await warned(lines), expected)
    const scenario_name = createId()
    const one = [say(ask('a'))]
    const at = (channel_name: string) => warned(one, { scenario_name, channel_name })
    t.strictSame(await at('early'), [])
    t.strictSame(await at('later'), expected, 'at the same time, the order of the channels counts')
  })

  t.test('has a warning for a condition that comes too early', async (t) => {
    const lines = [
      say(ask('a', { drill_minute: 9 }), { offset_hours: 2 }),
      say({ only_if: on('a', 'yes'), drill_minute: 8 }, { offset_hours: 3 }),
      say({ only_if: [on('a', 'yes')] }, { offset_hours: 1 }),
      say({ only_if: on('a', 'yes') }, { offset_hours: 2 }),
      say({ unless: on('a', 'yes'), drill_minute: 8 }),
      say({ unless: on('a', 'yes'), drill_minute: 9 }),
      say(ask('b', { drill_minute: 60 })),
      say({ kind: 'acknowledgement', only_if: on('a', 'yes'), unless: on('b', 'yes') }),
    ]
    t.strictSame(await warned(lines), [
      ['1 only_if', 'no_effect'],
      ['2 only_if 0', 'no_effect'],
      ['4 unless', 'no_effect'],
      ['7 unless', 'no_effect'],
    ])
  })

  t.test('has a warning for an acknowledgement that may not be posted at once', async (t) => {
    const kind = 'acknowledgement'
    const only_if = [on('a', 'yes'), on('b', 'yes')]
    const warningsAt = (minute: number) =>
      warned([
        say(ask('a', { drill_minute: 5 })),
        say(ask('b', { drill_minute: minute })),
        say({ kind, drill_minute: minute }),
        say({ kind, only_if, drill_minute: minute }),
      ])
    t.strictSame(await warningsAt(15), [['2 kind', 'no_effect']])
    t.strictSame(
      await warningsAt(14),
      [
        ['2 kind', 'no_effect'],
        ['3 only_if 0', 'no_effect'],
      ],
      'the first decision may still be open',
    )
  })

  t.test('knows when a decision ends, before another one is asked for', async (t) => {
    const kind = 'acknowledgement'
    const both = [on('a', 'yes'), on('b', 'yes')]
    const early = [['3 only_if 0', 'no_effect']]
    const lines = (fallback: number, b: number) => [
      say(ask('a', { drill_minute: 0 })),
      say({ fallback_for: 'a', drill_minute: fallback }),
      say(ask('b', { drill_minute: b })),
      say({ kind, only_if: both }),
    ]
    t.strictSame(await warned(lines(5, 7)), [], 'the fallback is the deadline')
    t.strictSame(await warned(lines(30, 15)), early, 'the fallback is the deadline')
    const inTurn = [
      say(ask('a', { drill_minute: 0 })),
      say(ask('b', { drill_minute: 5, only_if: on('a', 'yes') })),
      say(ask('c', { drill_minute: 6, only_if: on('b', 'yes') })),
      say({ kind, only_if: [on('a', 'yes'), on('c', 'yes')] }),
    ]
    t.strictSame(await warned(inTurn), [], 'each waits for the one before')
    const inArms = [
      say(ask('a', { drill_minute: 0, arm: 'control' })),
      say(ask('a', { drill_minute: 12, arm: 'intervention' })),
      say(ask('b', { drill_minute: 10 })),
      say({ kind, only_if: both, arm: 'control' }),
      say({ kind, only_if: both, arm: 'intervention' }),
    ]
    t.strictSame(await warned(inArms), [['4 only_if 1', 'no_effect']], 'arms ask at their times')
  })
})

t.test('The parts of a decision and of conditions', async (t) => {
  const yes = { option: 'yes', label: 'Yes', cost: 'a day' }
  const no = { ...yes, option: 'no' }
  const decision = { question: 'Now?', options: [yes, no], fallback_option: 'no' }
  const expectation = (changes: object) => ({
    beat: 'a',
    expectation: { deadline_minutes: 5, decision: { ...decision, ...changes } },
  })
  t.test('have warnings at their places when they have no effect', async (t) => {
    const at = 'expectation decision'
    for (const [metadata, warnings] of [
      [{ ...expectation({}), beat: null }, [[at, 'no_effect']]],
      [expectation({ options: [yes, yes, no] }), [[`${at} options 1 option`, 'no_effect']]],
      [expectation({ fallback_option: 'later' }), [[`${at} fallback_option`, 'no_effect']]],
      [expectation({ decidedby: ['a'] }), [[`${at} decidedby`, 'misspelt_key']]],
      [
        expectation({ options: [...optionsOf('lapsed'), no] }),
        [[`${at} options 0 option`, 'no_effect']],
      ],
      [{ only_if: { ...on('a', 'yes'), beats: 1 } }, [['only_if beat', 'unknown_decision']]],
    ] as const) {
      const found = (await warned([say(metadata)])).map(([place, type]) => [place?.slice(2), type])
      t.strictSame(found, warnings)
    }
    const thread_replies = [replyOf(marta, { metadata: expectation({}) })]
    t.strictSame((await warned([say({}, { thread_replies })])).slice(1), [
      [`0 thread_replies 0 ${at}`, 'no_effect'],
    ])
  })

  t.test('also have warnings when an older template has values that are refused now', async (t) => {
    const { _id, scenario_name } = (await create([])).body
    const options = [yes, { option: 'b' }, 7, no]
    const metadata = [
      expectation({ question: 7, options, decided_by: null }),
      { beat: 'a', expectation: { deadline_minutes: 5, decision: 'yes' } },
      { only_if: [], unless: [{ beat: 7, options: [] }, 'a', { beats: 'a', options: ['x', 7] }] },
    ]
    await db
      .updateTable('channel_templates')
      .set({ message_templates: JSON.stringify(metadata.map((one) => say(one))) as never })
      .where('organization_id', '=', organization_id)
      .where('_id', '=', _id)
      .execute()
    const { status, body } = await call('getChannelTemplate', {
      token,
      params: { template_id: _id },
    })
    t.equal(status, 200, scenario_name)
    t.strictSame(shorten(body.warnings), [
      ['0 expectation decision question', 'no_effect'],
      ['0 expectation decision decided_by', 'no_effect'],
      ['0 expectation decision options', 'no_effect'],
      ['0 expectation decision options 1 label', 'no_effect'],
      ['0 expectation decision options 1 cost', 'no_effect'],
      ['0 expectation decision options 2', 'no_effect'],
      ['1 expectation decision', 'no_effect'],
      ['2 only_if', 'no_effect'],
      ['2 unless 0 beat', 'no_effect'],
      ['2 unless 0 options', 'no_effect'],
      ['2 unless 1', 'no_effect'],
      ['2 unless 2 beats', 'misspelt_key'],
      ['2 unless 2 beat', 'no_effect'],
      ['2 unless 2 options 1', 'no_effect'],
    ])
  })
})

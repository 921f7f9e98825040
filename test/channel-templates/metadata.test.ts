import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { refused } from '../helpers/faults.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { addCharacter, messageOf, replyOf } from '../helpers/templates.js'

type Fault = Schema<'ValidationErrorItem'>

const { call, db, registerAdmin } = await startService(t)
const { token, organization_id } = await registerAdmin()
const marta = await addCharacter(db, organization_id, { username: 'marta' })

const templateOf = (metadata: object) => ({
  channel_name: createId(),
  message_templates: [messageOf(marta), { ...messageOf(marta), metadata }],
})
const create = (metadata: object) =>
  call('createChannelTemplate', { token, body: templateOf(metadata) })

type Case = [metadata: object, place: string, type: string]
const cases: Case[] = [
  [{ drill_minute: 1e300 }, 'drill_minute', 'less_than_equal'],
  [{ drill_minute: -525_601 }, 'drill_minute', 'greater_than_equal'],
  [{ drill_minute: '5' }, 'drill_minute', 'float_type'],
  [{ kind: 7 }, 'kind', 'string_type'],
  [{ beat: {} }, 'beat', 'string_type'],
  [{ arm: ['control'] }, 'arm', 'string_type'],
  [{ fallback_for: true }, 'fallback_for', 'string_type'],
  [{ expectation: 'decide' }, 'expectation', 'dict_type'],
  [{ expectation: { act: {} } }, 'expectation act', 'string_type'],
  [{ expectation: { deadline_minutes: 1e300 } }, 'expectation deadline_minutes', 'less_than_equal'],
  [{ expectation: { options: 'a' } }, 'expectation options', 'list_type'],
  [{ expectation: { options: ['a', 1] } }, 'expectation options 1', 'string_type'],
  [{ artefact: 'printout' }, 'artefact', 'dict_type'],
  [{ artefact: { title: 'Printout' } }, 'artefact text', 'missing'],
  [{ artefact: { title: 'x'.repeat(201), text: 'y' } }, 'artefact title', 'string_too_long'],
]

t.test('The metadata of a prepared message', async (t) => {
  t.test('is refused, with its place, when a key of the service has a wrong value', async (t) => {
    for (const [metadata, place, type] of cases) {
      const answer = await create(metadata)
      const [fault] = answer.body.detail
      refused(t, answer, [`body message_templates 1 metadata ${place}`, type, fault.msg])
    }
  })

  t.test('is refused by every operation that stores it', async (t) => {
    const { body } = await create({})
    const params = { template_id: body._id }
    const wrong = { expectation: { act: 1 } }
    const put = { token, params, body: templateOf(wrong) }
    const message = { sender_username: 'marta', content: 'Hello' }
    const reply = { ...message, metadata: wrong }
    const templates = [
      { channel_name: 'a', message_templates: [{ ...message, thread_replies: [reply] }] },
    ]
    const file = { format: 'channel-templates', version: 1, templates }
    const replies = [
      { ...messageOf(marta), thread_replies: [{ ...replyOf(marta), metadata: wrong }] },
    ]
    const messages = 'body message_templates'
    const answers = [
      [`${messages} 1`, await call('replaceChannelTemplate', put)],
      [`${messages} 1`, await call('updateChannelTemplate', put)],
      [
        `${messages} 0 thread_replies 0`,
        await call('updateChannelTemplate', {
          token,
          params,
          body: { message_templates: replies },
        }),
      ],
      [
        'body templates 0 message_templates 0 thread_replies 0',
        await call('importChannelTemplates', { token, body: file }),
      ],
    ] as const
    for (const [place, answer] of answers) {
      const msg = 'Input should be a valid string'
      refused(t, answer, [`${place} metadata expectation act`, 'string_type', msg])
    }
  })

  t.test('is stored unchanged with null, with other keys, and with keys of a setup', async (t) => {
    const expectation = { act: 'decide', deadline_minutes: 2.5, options: ['a', 'b'], own: [1] }
    for (const metadata of [
      { kind: null, beat: null, arm: null, drill_minute: null, expectation: null },
      { expectation: { act: null, deadline_minutes: null, options: null } },
      { kind: 'voice', beat: 'b', arm: 'own', drill_minute: 0.5, fallback_for: 'b', expectation },
      { drill_minutes: 1e300, acts: {}, tone: { dry: true } },
    ]) {
      const { status, body } = await create(metadata)
      t.equal(status, 201)
      t.strictSame(body.message_templates[1].metadata, metadata)
    }
  })

  t.test('is stored with a warning, at its place, when a key has no effect', async (t) => {
    const at = ['body', 'message_templates', '1', 'metadata']
    const warned = async (metadata: object) =>
      (await create(metadata)).body.warnings.map(({ loc, type }: Fault) => {
        t.strictSame(loc.slice(0, at.length), at)
        return [loc.slice(at.length).join(' '), type]
      })
    const deadline = 'expectation deadline_minutes'
    for (const [metadata, warnings] of [
      [{ drill_minutes: 5 }, [['drill_minutes', 'misspelt_key']]],
      [
        { fallbackFor: 'b', beats: 'b' },
        ['fallbackFor', 'beats'].map((key) => [key, 'misspelt_key']),
      ],
      [{ arm: 'kontrol' }, [['arm', 'no_effect']]],
      [{ expectation: { act: 'decide' } }, [[deadline, 'no_effect']]],
      [{ expectation: { deadline_minutes: 0 } }, [[deadline, 'no_effect']]],
      [
        { expectation: { deadline_minutes: 5, option: ['a'] } },
        [['expectation option', 'misspelt_key']],
      ],
      [{ arm: 'control', beat: 'b', beats: 2, tone: 'dry', colour: 'red', ki: 1 }, []],
      [{ kind: null, expectation: { deadline_minutes: 5, own: 1 } }, []],
    ] as const) {
      t.strictSame(await warned(metadata), warnings)
    }
  })

  t.test('has the same warnings in a reply, in a file, and after another change', async (t) => {
    const metadata = { drill_minuet: 5 }
    const replies = [{ ...replyOf(marta), metadata }]
    const message_templates = [{ ...messageOf(marta), thread_replies: replies }]
    const { body } = await call('createChannelTemplate', {
      token,
      body: { channel_name: createId(), message_templates },
    })
    const loc = ['message_templates', '0', 'thread_replies', '0', 'metadata', 'drill_minuet']
    const warning = {
      loc: ['body', ...loc],
      type: 'misspelt_key',
      msg: /did you mean drill_minute/,
    }
    t.match(body.warnings, [{ type: 'self_answered' }, warning])
    const params = { template_id: body._id }
    const paused = await call('updateChannelTemplate', {
      token,
      params,
      body: { is_active: false },
    })
    t.match(paused.body.warnings, [{ type: 'self_answered' }, warning])
    const message = { sender_username: 'marta', content: 'Hello' }
    const templates = [
      {
        channel_name: 'b',
        message_templates: [{ ...message, thread_replies: [{ ...message, metadata }] }],
      },
    ]
    const file = { format: 'channel-templates', version: 1, templates }
    const imported = await call('importChannelTemplates', { token, body: file })
    t.match(imported.body.warnings[1].loc, ['body', 'templates', '0', ...loc])
  })
})

import { createId } from '../src/identifiers.js'
import { refused } from './helpers/faults.js'
import { t } from './helpers/file.js'
import { startService } from './helpers/service.js'
import { addCharacter, messageOf, replyOf } from './helpers/templates.js'

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
]

t.test('The metadata of a prepared message', async (t) => {
  t.test('is refused where a key of the service has a wrong value, at its place', async (t) => {
    for (const [metadata, place, type] of cases) {
      const answer = await create(metadata)
      const [fault] = answer.body.detail
      refused(t, answer, [`body message_templates 1 metadata ${place}`, type, fault.msg])
    }
  })

  t.test('is refused so by every operation that stores it', async (t) => {
    const { body } = await create({})
    const params = { template_id: body._id }
    const wrong = { expectation: { act: 1 } }
    const put = { token, params, body: templateOf(wrong) }
    const said = { sender_username: 'marta', content: 'Hello' }
    const reply = { ...said, metadata: wrong }
    const templates = [
      { channel_name: 'a', message_templates: [{ ...said, thread_replies: [reply] }] },
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
          ...{ token, params },
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

  t.test('is kept as it is with null, other keys, and all that a setup prepares', async (t) => {
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
})

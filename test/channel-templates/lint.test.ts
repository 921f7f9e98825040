import { createId } from '../../src/formats/identifiers.js'
import { type ExpectedFault, refused } from '../helpers/faults.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { addCharacter, messageOf, numbersFrom, replyOf } from '../helpers/templates.js'

const { call, db, registerAdmin } = await startService(t)
const { token, organization_id } = await registerAdmin()
const marta = await addCharacter(db, organization_id)
const jonas = await addCharacter(db, organization_id)
const retired = await addCharacter(db, organization_id, { is_active: false })
const person = await addCharacter(db, organization_id, { is_bot: false })
const foreign = await addCharacter(db, (await registerAdmin()).organization_id)

const create = (message_templates: object[]) =>
  call('createChannelTemplate', { token, body: { channel_name: createId(), message_templates } })

const names = ['user.first_name', 'user.full_name', 'organization.company_name', 'scenario.name']
const variables = names.map((name) => `{{${name}}}`).join(', ')
const noCharacter = 'Value error, the sender is no character of this organization'
const inactive = 'Value error, the sender is not active'
const blank = 'Value error, the text is blank'
const variable = `Value error, the text has another variable than ${variables}`
const early = 'Input should be greater than or equal to 0: a reply cannot come before its message'

/** Each fault of a message or reply: the field, its value, and the reported fault. */
const defects: [field: string, value: unknown, type: string, msg: string][] = [
  ...[foreign, person, createId(), 'no id', '', marta.toUpperCase()].map(
    (sender): (typeof defects)[number] => [
      'sender_character_id',
      sender,
      'unknown_character',
      noCharacter,
    ],
  ),
  ['sender_character_id', retired, 'inactive', inactive],
  ['content', '', 'string_too_short', 'String should have at least 1 character'],
  ['content', ' \n\t\u00a0', 'blank', blank],
  ['content', 'Hello {{user.last_name}}', 'unknown_variable', variable],
  ['content', '{{user.first_name}} {{}}', 'unknown_variable', variable],
  ['content', '{{USER.FIRST_NAME}}', 'unknown_variable', variable],
  ['content', 'x'.repeat(10_001), 'string_too_long', 'String should have at most 10000 characters'],
  ['metadata', [], 'dict_type', 'Input should be a valid dictionary'],
]
const ofMessages: typeof defects = [
  ['offset_hours', -8761, 'greater_than_equal', 'Input should be greater than or equal to -8760'],
  ['offset_hours', 8761, 'less_than_equal', 'Input should be less than or equal to 8760'],
  [
    'thread_replies',
    Array(101).fill(replyOf(jonas)),
    'too_long',
    'List should have at most 100 items',
  ],
]
const ofReplies: typeof defects = [
  ['offset_minutes', -1, 'greater_than_equal', early],
  ['offset_minutes', 10_081, 'less_than_equal', 'Input should be less than or equal to 10080'],
]

t.test('createChannelTemplate', async (t) => {
  t.test('reports every fault at its exact place, all together', async (t) => {
    const bad = [...defects, ...ofMessages].filter(([, , , msg]) => msg.startsWith('Value error'))
    const messages = bad.map(([field, value]) => ({ ...messageOf(marta), [field]: value }))
    const thread = bad.map(([field, value]) => ({ ...replyOf(jonas), [field]: value }))
    const faultsAt = (place: string) =>
      bad.map(([field, , type, msg], i): ExpectedFault => [`${place} ${i} ${field}`, type, msg])
    refused(
      t,
      await create([...messages, messageOf(marta, { thread_replies: thread })]),
      ...faultsAt('body message_templates'),
      ...faultsAt(`body message_templates ${bad.length} thread_replies`),
    )
  })

  t.test('finds a single fault in any template', async (t) => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const { below, one } = numbersFrom(seed)
      const messages = Array.from({ length: 1 + below(8) }, () =>
        messageOf(marta, {
          offset_hours: below(100) - 50,
          content: one(['Hello {{ user.full_name }}', '{one} {{user.first_name}}}', '{{', 'ß 🗝️']),
          thread_replies: Array.from({ length: 1 + below(3) }, () => replyOf(jonas)),
        }),
      )
      const i = below(messages.length)
      const replies = messages[i]?.thread_replies ?? []
      const j = below(replies.length)
      const isReply = below(2) === 1
      const [field, value, type, msg] = one([...defects, ...(isReply ? ofReplies : ofMessages)])
      const target = isReply ? replies[j] : messages[i]
      Object.assign(target ?? {}, { [field]: value })
      const place = isReply ? `${i} thread_replies ${j}` : `${i}`
      refused(t, await create(messages), [`body message_templates ${place} ${field}`, type, msg])
    }
  })

  t.test('accepts values at the limits', async (t) => {
    const replies = [0, 10_080].map((offset_minutes) => replyOf(jonas, { offset_minutes }))
    const widest = [-8760, 8760].map((offset_hours) =>
      messageOf(marta, { offset_hours, thread_replies: replies }),
    )
    const many = Array(498).fill(messageOf(marta, { content: names.map((n) => `{{${n}}}`).join() }))
    const { status, body } = await create([...widest, ...many])
    t.strictSame([status, body.warnings], [201, []])
    const tooMany = await create(Array(501).fill(messageOf(marta)))
    const msg = 'List should have at most 500 items'
    refused(t, tooMany, ['body message_templates', 'too_long', msg])
  })

  t.test('stores a doubtful template with warnings', async (t) => {
    const alone = messageOf(marta, { thread_replies: [replyOf(marta), replyOf(marta)] })
    const hasty = [30, 12, 12, 40].map((offset_minutes) => replyOf(jonas, { offset_minutes }))
    const open = messageOf(marta, { content: 'Hello {{user.first_name}, {{user.full_name}}' })
    const messages = [alone, messageOf(marta, { thread_replies: hasty }), open]
    const { status, body } = await create(messages)
    t.equal(status, 201)
    t.strictSame(body.message_templates, messages)
    const place = ['body', 'message_templates']
    t.match(body.warnings, [
      { loc: [...place, '0', 'thread_replies'], type: 'self_answered' },
      { loc: [...place, '1', 'thread_replies', '1', 'offset_minutes'], type: 'out_of_order' },
      { loc: [...place, '2', 'content'], type: 'open_variable' },
    ])
    t.equal(body.warnings.length, 3)
  })
})

t.test('updateChannelTemplate', async (t) => {
  t.test(
    'warns about stored messages that have become invalid, and refuses them in a request',
    async (t) => {
      const leaving = await addCharacter(db, organization_id)
      const message_templates = [messageOf(marta), messageOf(leaving)]
      const { _id: template_id } = (await create(message_templates)).body
      const update = (body: object) =>
        call('updateChannelTemplate', { token, params: { template_id }, body })
      await call('updateUser', { token, params: { user_id: leaving }, body: { is_active: false } })
      const place = ['body', 'message_templates', '1', 'sender_character_id']
      const { status, body } = await update({ is_active: false })
      const warning = { loc: place, msg: inactive, type: 'inactive' }
      t.strictSame([status, body.is_active, body.warnings], [200, false, [warning]])
      refused(t, await update({ message_templates }), [place.join(' '), 'inactive', inactive])
    },
  )
})

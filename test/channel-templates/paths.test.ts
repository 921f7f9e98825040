import { createId } from '../../src/formats/identifiers.js'
import { refused } from '../helpers/faults.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { addCharacter, ask, messageOf, replyOf } from '../helpers/templates.js'

const { call, db, registerAdmin } = await startService(t)
const { token, organization_id } = await registerAdmin()
const marta = await addCharacter(db, organization_id, { username: 'marta' })

const on = (beat: string, ...options: string[]) => ({ beat, options })
const say = (content: string, metadata: object = {}, fields: object = {}) =>
  messageOf(marta, { content, metadata: { ...metadata }, ...fields })
const scenario_name = createId()
const create = async (message_templates: object[], scenario = scenario_name) =>
  (
    await call('createChannelTemplate', {
      token,
      body: { channel_name: createId(), scenario_name: scenario, message_templates },
    })
  ).body._id

await create([say('ask b', ask('b', { only_if: on('a', 'yes') }))])
const thread_replies = [
  replyOf(marta, { content: 'reply' }),
  replyOf(marta, { content: 'reply if b', metadata: { only_if: on('b', 'yes') } }),
]
const template_id = await create([
  say('ask a', ask('a')),
  say('thanks', { kind: 'acknowledgement', only_if: on('a', 'yes', 'no') }),
  say('too late', { fallback_for: 'a' }, { thread_replies: [replyOf(marta, { content: 'oh' })] }),
  say('if yes', { only_if: on('a', 'yes') }, { thread_replies }),
  say('if no', { only_if: on('a', 'no') }),
  say('unless b is no', { unless: on('b', 'no') }),
  say('fallback of an expectation', { fallback_for: 'x' }),
])

const preview = (path: object | null, id = template_id) =>
  call('previewChannelTemplate', {
    token,
    params: { template_id: id },
    body: { start_at: '2026-11-23T08:00:00Z', path },
  })

interface Post {
  content: string
  thread_replies: Post[]
}
const textsOf = (posts: Post[] = []): string[] =>
  posts.flatMap(({ content, thread_replies }) => [content, ...textsOf(thread_replies)])

const always = ['fallback of an expectation']
const paths: [path: Record<string, string>, texts: string[]][] = [
  [{}, ['too late', 'oh', 'if no', 'unless b is no']],
  [{ a: 'lapsed' }, ['too late', 'oh', 'if no', 'unless b is no']],
  [{ a: 'no' }, ['thanks', 'if no', 'unless b is no']],
  [{ a: 'no', b: 'yes' }, ['thanks', 'if no', 'unless b is no']],
  [{ a: 'yes' }, ['thanks', 'if yes', 'reply']],
  [{ a: 'yes', b: 'yes' }, ['thanks', 'if yes', 'reply', 'reply if b', 'unless b is no']],
]

t.test('previewChannelTemplate', async (t) => {
  for (const [path, texts] of paths) {
    t.test(`shows what is posted on the path ${JSON.stringify(path)}`, async (t) => {
      const { status, body } = await preview(path)
      t.equal(status, 200)
      t.strictSame(textsOf(body.messages), ['ask a', ...texts, ...always])
    })
  }

  t.test(
    'shows an acknowledgement also if an earlier decision in its only_if lapsed',
    async (t) => {
      const only_if = [on('a', 'no'), on('c', 'yes')]
      const template_id = await create(
        [
          say('ask a', ask('a', { drill_minute: 0 })),
          say('ask c', ask('c', { drill_minute: 60 })),
          say('thanks for c', { kind: 'acknowledgement', only_if, drill_minute: 60 }),
        ],
        createId(),
      )
      const shown = async (path: object) =>
        textsOf((await preview(path, template_id)).body.messages).includes('thanks for c')
      t.equal(await shown({ a: 'lapsed', c: 'yes' }), true)
      t.equal(await shown({ a: 'no', c: 'yes' }), true)
      t.equal(await shown({ a: 'yes', c: 'yes' }), false)
      t.equal(await shown({ a: 'no', c: 'lapsed' }), false)
    },
  )

  t.test('shows all messages without a path', async (t) => {
    t.equal(textsOf((await preview(null)).body.messages).length, 10)
  })

  t.test('refuses a path with an unknown decision or option', async (t) => {
    const decision = 'Value error, the scenario does not ask for this decision'
    const option = 'Value error, the decision does not have this option'
    const text = 'Value error, should be the key of an option, or lapsed'
    for (const key of ['c', 'constructor', 'toString']) {
      const answer = await preview({ [key]: 'lapsed' })
      refused(t, answer, [`body path ${key}`, 'unknown_decision', decision])
    }
    refused(t, await preview({ a: 'later' }), ['body path a', 'unknown_option', option])
    refused(t, await preview({ a: 7 }), ['body path a', 'string_type', text])
  })
})

t.test('exportChannelTemplates', async (t) => {
  t.test('writes for Mattermost what is posted if each decision lapses', async (t) => {
    const query = { format: 'mattermost', scenario_name }
    const { body } = await call('exportChannelTemplates', { token, query })
    const lines = String(body).trim().split('\n')
    const posts = lines.flatMap((line) => JSON.parse(line).post ?? [])
    const texts = posts.flatMap(({ message, replies }) => [
      message,
      ...replies.map((reply: { message: string }) => reply.message),
    ])
    t.strictSame(texts, ['ask a', 'too late', 'oh', 'if no', 'unless b is no', ...always])
  })

  t.test('writes all messages as JSON, with their conditions', async (t) => {
    const { body } = await call('exportChannelTemplates', { token, query: { scenario_name } })
    const file = JSON.stringify(body)
    t.match(file, '"only_if":{"beat":"a"')
    t.match(file, '"unless":{"beat":"b"')
  })
})

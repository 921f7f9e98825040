import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { addCharacter, ask, messageOf } from '../helpers/templates.js'

const { call, db, registerAdmin } = await startService(t)
const { token, organization_id } = await registerAdmin()
const marta = await addCharacter(db, organization_id, { username: 'marta' })

type Fault = Schema<'ValidationErrorItem'>
const depends = { only_if: [{ beat: 'a', options: ['yes', 'no'] }] }
const say = (metadata: object) => ({ sender_username: 'marta', content: 'Hello', metadata })
const template = (scenario_name: string, channel_name: string, ...metadata: object[]) => ({
  scenario_name,
  channel_name,
  message_templates: metadata.map(say),
})
async function warned(templates: object[], query: Record<string, string> = {}) {
  const body = { format: 'channel-templates', version: 1, templates }
  const answer = await call('importChannelTemplates', { token, query, body })
  t.equal(answer.status, 200)
  return answer.body.warnings.map(({ loc, type }: Fault) => [loc[2], type])
}
const dryRun = { dry_run: 'true', overwrite: 'true' }

t.test('importChannelTemplates', async (t) => {
  t.test('finds decisions in the file and in stored templates', async (t) => {
    const scenario = createId()
    const other = createId()
    t.strictSame(
      await warned([
        template(scenario, 'first', depends),
        template(scenario, 'second', ask('a')),
        template(other, 'third', depends),
      ]),
      [['2', 'unknown_decision']],
    )
    t.strictSame(await warned([template(scenario, 'fourth', depends)], dryRun), [])
    const replaced = [template(scenario, 'second'), template(scenario, 'fourth', depends)]
    t.strictSame(await warned(replaced, dryRun), [['1', 'unknown_decision']])
    const off = [{ ...template(scenario, 'second', ask('a')), is_active: false }]
    t.strictSame(await warned(off, { overwrite: 'true' }), [])
    t.strictSame(await warned([template(scenario, 'fourth', depends)], dryRun), [
      ['0', 'unknown_decision'],
    ])
  })
})

const create = (body: object, query: Record<string, string> = {}) =>
  call('createChannelTemplate', { token, query, body })

t.test('Every operation returns the warnings about the scenario', async (t) => {
  const scenario_name = createId()
  const message_templates = [messageOf(marta, { metadata: depends })]
  const body = { channel_name: 'depends', scenario_name, message_templates }
  const made = await create(body)
  const params = { template_id: made.body._id }
  const { warnings } = made.body
  t.match(warnings, [{ type: 'unknown_decision' }])
  const at = { token, params }
  t.strictSame((await create({ ...body, channel_name: 'x' }, dryRun)).body.warnings, warnings)
  t.strictSame((await call('getChannelTemplate', at)).body.warnings, warnings)
  t.strictSame((await call('replaceChannelTemplate', { ...at, body })).body.warnings, warnings)
  const asking = await create({
    channel_name: 'asks',
    scenario_name,
    message_templates: [messageOf(marta, { metadata: ask('a') })],
  })
  t.strictSame(asking.body.warnings, [])
  t.strictSame((await call('getChannelTemplate', at)).body.warnings, [])
  const patch = (fields: object) => call('updateChannelTemplate', { ...at, body: fields })
  t.strictSame((await patch({ channel_name: 'renamed' })).body.warnings, [])
  t.strictSame((await patch({ message_templates })).body.warnings, [])
  t.match((await patch({ scenario_name: createId() })).body.warnings, warnings)
  t.strictSame((await patch({ is_active: false })).body.warnings, [])
})

t.test('A scenario with too many messages that branch is not checked', async (t) => {
  const scenario_name = createId()
  const filler = { ...depends, note: 'x'.repeat(15_000) }
  const message_templates = Array(17).fill(messageOf(marta, { metadata: filler }))
  for (const channel_name of ['a', 'b', 'c', 'd', 'e']) {
    t.equal((await create({ channel_name, scenario_name, message_templates })).status, 201)
  }
  const own = [messageOf(marta, { metadata: depends })]
  const { body } = await create({ channel_name: 'f', scenario_name, message_templates: own })
  t.match(body.warnings, [{ loc: ['body', 'message_templates'], type: 'decisions_unchecked' }])
  const plain = [messageOf(marta)]
  const other = await create({ channel_name: 'g', scenario_name, message_templates: plain })
  t.strictSame(other.body.warnings, [])
})

t.test('The stored branches have no texts', async (t) => {
  const content = 'a "secret": {"content": "\\" x \\\\"} \\'
  const thread_replies = [
    { sender_character_id: marta, content, offset_minutes: 1, metadata: depends },
  ]
  const { body } = await create({
    channel_name: createId(),
    message_templates: [
      messageOf(marta, { content }),
      messageOf(marta, { content, thread_replies }),
    ],
  })
  const { branches } = await db
    .selectFrom('channel_templates')
    .select('branches')
    .where('organization_id', '=', organization_id)
    .where('_id', '=', body._id)
    .executeTakeFirstOrThrow()
  const [reply] = thread_replies
  t.strictSame(branches, [
    messageOf(marta, { content: '', thread_replies: [{ ...reply, content: '' }] as never }),
  ])
})

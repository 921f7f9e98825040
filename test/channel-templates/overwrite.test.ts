import { t } from '../helpers/file.js'
import { auditEvents, startService } from '../helpers/service.js'
import { addCharacter } from '../helpers/templates.js'

const { call, db, registerAdmin } = await startService(t)

async function registerWithCharacter() {
  const admin = await registerAdmin()
  await addCharacter(db, admin.organization_id, { username: 'marta' })
  const load = async (templates: object[], query: Record<string, string> = {}) => {
    const body = { format: 'channel-templates', version: 1, templates }
    return (await call('importChannelTemplates', { token: admin.token, query, body })).body
  }
  return { admin, load }
}

/** Templates of two scenarios with the same channels. Each posts one text. */
const templatesOf = (count: number, textOf: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => ({
    scenario_name: `scenario ${i % 2}`,
    channel_name: `channel ${Math.floor(i / 2)}`,
    message_templates: [{ sender_username: 'marta', content: textOf(i) }],
  }))

t.test('importChannelTemplates with overwrite', async (t) => {
  t.test('replaces the changed templates among many, and keeps the rest', async (t) => {
    const { admin, load } = await registerWithCharacter()
    const before = await load(templatesOf(70, () => 'old'))
    t.match(before, { created: 70, updated: 0 })
    const isNew = (i: number) => i % 7 === 0
    const wanted = templatesOf(75, (i) => (isNew(i) ? 'new' : 'old')).toReversed()
    const after = await load(wanted, { overwrite: 'true' })
    t.match(after, { created: 5, updated: 10 })
    t.strictSame(after.template_ids.toReversed().slice(0, 70), before.template_ids)
    t.equal(new Set(after.template_ids).size, 75)
    const stored = await db
      .selectFrom('channel_templates')
      .selectAll()
      .where('organization_id', '=', admin.organization_id)
      .execute()
    const texts = new Map(stored.map((row) => [row._id, row.message_templates[0]?.content]))
    t.strictSame(
      after.template_ids.map((id: string) => texts.get(id)),
      wanted.map(({ message_templates: [said] }) => said?.content),
    )
    const updated = await auditEvents(call, admin, { event_type: 'channel_template_updated' })
    t.equal(updated.length, 10)
    t.match(updated[0]?.metadata, {
      changes: { message_templates: { from: [{ content: 'old' }], to: [{ content: 'new' }] } },
    })
    const [imported] = await auditEvents(call, admin, { event_type: 'channel_templates_imported' })
    t.match(imported?.metadata, { created: { length: 5 }, updated: { length: 10 } })
  })
})

import { quickSetupsOf } from '../helpers/blueprints.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'

const service = await startService(t)
const { call, registerAdmin } = service
const { apply, rollback } = quickSetupsOf(service)

/** Creates a template by hand, with a message of a character, and with a reply if one replies. */
async function createTemplateWith({ token }: Member, speaker = '', replier?: string) {
  const postOf = (sender_character_id: string) => ({ sender_character_id, content: 'Hello.' })
  const thread_replies = replier === undefined ? [] : [postOf(replier)]
  const message = { ...postOf(speaker), thread_replies }
  const body = { channel_name: `lobby of ${speaker}`, message_templates: [message] }
  return call('createChannelTemplate', { token, body })
}

t.test('A character who speaks in a template made by a person', async (t) => {
  t.test('prevents a rollback until the template is deleted', async (t) => {
    const admin = await registerAdmin()
    const { _id, character_ids } = await apply(admin, { team_size: 3 })
    const made = await createTemplateWith(admin, character_ids[1])
    const { status, body } = await rollback(admin, _id)
    t.equal(status, 409)
    t.match(body.reasons, [{ kind: 'character', reason: 'speaks' }])
    t.equal(body.reasons.length, 1, 'no other character is a reason')
    const params = { template_id: made.body._id }
    await call('deleteChannelTemplate', { token: admin.token, params })
    t.equal((await rollback(admin, _id)).status, 200)
  })

  t.test('is kept, and reported as skipped, when the team becomes smaller', async (t) => {
    const admin = await registerAdmin()
    const { character_ids } = await apply(admin, { team_size: 4 })
    await createTemplateWith(admin, character_ids[0], character_ids[3])
    const preview = await call('previewQuickSetup', { token: admin.token, body: { team_size: 2 } })
    t.equal(preview.body.would_remove.length, 1)
    const { skipped, removed } = await apply(admin, { team_size: 2 })
    t.match(skipped, [{ kind: 'character', reason: 'speaks' }])
    t.strictSame(skipped, preview.body.would_skip)
    t.equal(removed.characters, 1)
  })

  t.test('either prevents a concurrent rollback or is deleted first', async (t) => {
    for (let round = 0; round < 5; round++) {
      const admin = await registerAdmin()
      const { _id, character_ids } = await apply(admin, { team_size: 2 })
      const [created, rolledBack] = await Promise.all([
        createTemplateWith(admin, character_ids[0]),
        rollback(admin, _id),
      ])
      const outcome = `${created.status} ${rolledBack.status}`
      t.ok(['201 409', '422 200'].includes(outcome), outcome)
    }
  })
})

t.test('The audit events of a setup list every object that it changed', async (t) => {
  const admin = await registerAdmin()
  const { experiment_id, character_ids } = await apply(admin, { team_size: 2 })
  const events = await auditEvents(call, admin)
  const ofType = (event_type: string) => events.find((one) => one.event_type === event_type)
  const items = character_ids.map((_id) => ({ _id, action: 'created' }))
  t.match(ofType('characters_changed')?.metadata, { created: 2, items })
  t.match(ofType('channel_templates_changed')?.metadata?.items, [{ action: 'created' }])
  t.match(ofType('experiment_created')?.metadata, {
    experiment_id,
    changes: { name: { from: null, to: 'Baseline vs intervention' } },
  })
})

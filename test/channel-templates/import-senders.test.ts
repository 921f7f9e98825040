import { sql } from 'kysely'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { skipCluster, skipEmbedded } from '../helpers/skips.js'
import { addCharacter } from '../helpers/templates.js'
import { until } from '../helpers/until.js'

const { call, db, registerAdmin } = await startService(t)

/** Waits until a statement on users waits for a lock; on a cluster, where it waits on a node, a second. */
async function untilUsersAreLocked(): Promise<void> {
  const end = skipCluster ? performance.now() + 1_000 : Number.POSITIVE_INFINITY
  await until(async () => {
    const { rows } = await sql`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%"users"%'`.execute(
      db,
    )
    return rows.length > 0 || performance.now() > end
  })
}

t.test(
  'An import stores nothing when its sender is deleted during the import',
  { skip: skipEmbedded },
  async (t) => {
    const { token, organization_id } = await registerAdmin()
    const username = 'marta.keller'
    const _id = await addCharacter(db, organization_id, { username })
    const message_templates = [{ sender_username: username, content: 'Hello' }]
    const templates = [{ channel_name: 'a', message_templates }]
    const body = { format: 'channel-templates', version: 1, templates }

    const deletion = await db.startTransaction().execute()
    await deletion
      .deleteFrom('users')
      .where('organization_id', '=', organization_id)
      .where('_id', '=', _id)
      .execute()
    const importing = call('importChannelTemplates', { token, body })
    await untilUsersAreLocked()
    await deletion.commit().execute()
    t.match(await importing, {
      status: 422,
      body: { detail: [{ loc: ['body', 'templates'], msg: /deleted meanwhile/ }] },
    })
    const { body: stored } = await call('listChannelTemplates', { token })
    t.equal(stored.length, 0)
  },
)

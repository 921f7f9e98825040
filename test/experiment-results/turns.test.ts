import { openLab } from '../helpers/experiments.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { untilServed } from '../helpers/until.js'

const service = await startService(t)
const admin = await service.registerAdmin()
const { user_id } = admin
const { draft, conclude, run } = openLab(service, admin)

const wrote = (count: number) => ({
  joined: [user_id],
  lines: Array.from({ length: count }, (_, minute) => ({ by: 'participant' as const, minute })),
})

t.test('concludeExperiment computes once for any number of concurrent calls', async (t) => {
  const _id = await draft()
  await run(_id, { control: [wrote(1), wrote(2)], intervention: [wrote(3), wrote(4)] })
  let threads = 0
  const count = () => {
    threads++
  }
  process.on('worker', count)
  t.teardown(() => process.off('worker', count))
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => untilServed(() => conclude(_id))),
  )
  const statuses = answers.map(({ status }) => status).toSorted()
  t.strictSame(statuses, [200, ...Array.from({ length: 39 }, () => 409)])
  const refused = answers.filter(({ status }) => status === 409)
  for (const { body } of refused) t.equal(body.code, 'already_concluded')
  t.equal(threads, 1)
})

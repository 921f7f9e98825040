import { send } from '../client.js'
import { memoryGrowth } from '../measuring/process-meters.js'
import { ratio } from '../measuring/statistics.js'
import { withService } from '../processes.js'
import { listAuditEvents, listUsers } from '../requests.js'
import { defineScenario } from '../scenario.js'

const warmUps = 500
const concurrency = 8

export const users10000 = defineScenario({
  name: 'users-10000',
  question: 'How much memory does a list of 10,000 users need beside its length?',
  goals: {
    'memory for one list ÷ answer': { atMost: 2 },
    'memory for each of 8 lists ÷ answer': { atMost: 2 },
  },
  run: ({ tenants, database }) =>
    withService({ databaseUrl: database.url }, async ({ url, pid }) => {
      for (let i = 0; i < warmUps; i++) await send(url, listAuditEvents(tenants.audit1), 200)
      let bytes = 0
      const read = async () => {
        bytes = (await send(url, listUsers(tenants.users10000), 200)).bytes
      }
      const one = await memoryGrowth(pid, read)
      const eight = await memoryGrowth(pid, () =>
        Promise.all(Array.from({ length: concurrency }, read)),
      )
      const rows = [
        { lists: 1, 'memory MB': one && one / 1e6 },
        { lists: concurrency, 'memory MB': eight && eight / 1e6 },
      ]
      return {
        title: `lists of 10,000 users, ${(bytes / 1e6).toFixed(1)} MB each`,
        rows,
        figures: {
          'memory for one list ÷ answer': ratio(one, bytes),
          'memory for each of 8 lists ÷ answer': ratio(eight, concurrency * bytes),
        },
      }
    }),
})

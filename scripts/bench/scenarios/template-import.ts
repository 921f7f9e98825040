import { jsonRequest, send } from '../client.js'
import { applyQuickSetup } from '../requests.js'
import type { Scenario } from '../setting.js'
import { withService } from '../sides.js'
import { percentile } from '../statistics.js'
import { insertTemporaryOrganizations } from '../temporary.js'

const templates = 100
const messages = 100
const mostMs = 2_000

/** A file of templates whose messages a character sends. */
function fileOf(sender_username: string) {
  const message = (number: number) => ({
    sender_username,
    content: `Message ${number}: can we look at the shift plan before the review, {{user.first_name}}?`,
    offset_hours: number,
    metadata: { beat: 'plan' },
    thread_replies: [],
  })
  return {
    format: 'channel-templates',
    version: 1,
    templates: Array.from({ length: templates }, (_, number) => ({
      scenario_name: 'imported',
      channel_name: `channel-${number}`,
      message_templates: Array.from({ length: messages }, (_, n) => message(n)),
    })),
  }
}

/** How long a whole library of templates takes to come in. */
export const templateImport: Scenario = {
  name: 'template-import',
  run: ({ options, database: { client, url: databaseUrl } }) =>
    withService(databaseUrl, async ({ url }) => {
      const times: number[] = []
      let bytes = 0
      for (const tenant of await insertTemporaryOrganizations(client, options.rounds)) {
        await send(url, applyQuickSetup(tenant, 1), 200)
        const { rows } = await client.query<{ username: string }>(
          'select username from users where organization_id = $1 and is_bot',
          [tenant.organization_id],
        )
        const path = '/api/v1/admin/simulation/channel-templates-import'
        const body = fileOf(rows[0]?.username ?? '')
        const request = jsonRequest('POST', path, body, tenant.token)
        bytes = Buffer.byteLength(request.body ?? '')
        times.push((await send(url, request, 200)).milliseconds)
      }
      const p50 = percentile(times, 0.5)
      return {
        title: `import of ${templates} templates with ${messages} messages each`,
        rows: [
          {
            imports: times.length,
            MB: bytes / 1e6,
            'p50 ms': p50,
            'slowest ms': Math.max(...times),
          },
        ],
        goals: [{ what: 'p50 of an import', value: p50, atMost: mostMs, unit: ' ms' }],
      }
    }),
}

import { getRequest } from '../client.js'
import { applyLoad, type LoadRequest } from '../load.js'
import type { Scenario } from '../setting.js'
import { withService } from '../sides.js'
import { median, ratio } from '../statistics.js'

const path = '/api/v1/admin/simulation/scenario-blueprints/hr_workforce'

/** What a client pays that asks again for a blueprint it has, beside the cheapest answer there is. */
export const blueprints: Scenario = {
  name: 'blueprints',
  run: ({ options, database, tenants }) =>
    withService(database.url, async ({ url }) => {
      const full = getRequest(tenants.users10.token, path)
      const { headers } = await fetch(url + path, { headers: full.headers })
      const tag = headers.get('etag') ?? ''
      const known = { ...full, headers: { ...full.headers, 'if-none-match': tag } }
      const health: LoadRequest = { method: 'GET', path: '/health', headers: {} }
      const contenders = [
        { what: 'health', request: health, expectedStatus: 200 },
        { what: 'blueprint, not modified', request: known, expectedStatus: 304 },
        { what: 'blueprint, whole', request: full, expectedStatus: 200 },
      ]
      const load = async ({ request, expectedStatus }: (typeof contenders)[number]) => {
        const { connections, seconds } = options
        const requestsOf = () => [request]
        return applyLoad({ url, requestsOf, connections, seconds, expectedStatus })
      }
      const rates = new Map<string, number[]>(contenders.map(({ what }) => [what, []]))
      for (const one of contenders) await load(one)
      for (let round = 0; round < options.rounds; round++) {
        for (const one of contenders) {
          rates.get(one.what)?.push((await load(one)).requestsPerSecond)
        }
      }
      const rateOf = (what: string) => median(rates.get(what) ?? [])
      return {
        title: 'a blueprint that the client has already',
        rows: [...rates.keys()].map((what) => ({ what, 'requests/s': rateOf(what) })),
        goals: [
          {
            what: 'not modified ÷ health',
            value: ratio(rateOf('blueprint, not modified'), rateOf('health')),
            atLeast: 0.9,
          },
        ],
      }
    }),
}

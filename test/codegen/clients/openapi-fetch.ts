import createClient from 'openapi-fetch'
import type { components, paths } from '../generated/openapi-typescript.ts'
import { bearer, type Client, succeeded } from './client.ts'

const category: components['schemas']['KnownAuditCategory'] = 'auth'
const role: components['schemas']['Role'] = 'admin'

export function createOpenapiFetch(baseUrl: string): Client {
  const client = createClient<paths>({ baseUrl })
  return {
    async register(body) {
      const { data, error } = await client.POST('/api/v1/auth/register', { body })
      return succeeded(data, error)
    },
    async listAdmins(session) {
      const { data, error } = await client.GET('/api/v1/users', {
        headers: bearer(session),
        params: { query: { role } },
      })
      return succeeded(data, error)
    },
    async listAuthEvents(session) {
      const { organization_id } = session
      const { data, error } = await client.GET(
        '/api/v1/admin/simulation/audit-events/{organization_id}',
        {
          headers: bearer(session),
          params: { path: { organization_id }, query: { category, status: null } },
        },
      )
      return succeeded(data, error)
    },
  }
}

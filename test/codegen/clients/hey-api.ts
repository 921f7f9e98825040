import { createClient } from '../generated/hey-api/client/index.ts'
import {
  type KnownAuditCategory,
  listAuditEvents,
  listUsers,
  type Role,
  register,
} from '../generated/hey-api/index.ts'
import { type Client, type Session, succeeded } from './client.ts'

const category: KnownAuditCategory = 'auth'
const role: Role = 'admin'

export function createHeyApi(baseUrl: string): Client {
  const client = createClient({ baseUrl })
  const as = ({ access_token }: Session) => ({ client, auth: () => access_token })
  return {
    async register(body) {
      const { data, error } = await register({ client, body })
      return succeeded(data, error)
    },
    async listAdmins(session) {
      const { data, error } = await listUsers({ ...as(session), query: { role } })
      return succeeded(data, error)
    },
    async listAuthEvents(session) {
      const { organization_id } = session
      const { data, error } = await listAuditEvents({
        ...as(session),
        path: { organization_id },
        query: { category, status: null },
      })
      return succeeded(data, error)
    },
  }
}

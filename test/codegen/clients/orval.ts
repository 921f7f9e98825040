import {
  KnownAuditCategory,
  listAuditEvents,
  listUsers,
  Role,
  register,
} from '../generated/orval.ts'
import { bearer, type Client } from './client.ts'

export function createOrval(): Client {
  return {
    async register(person) {
      const answer = await register(person)
      if (answer.status !== 201) throw new Error(`Refused: ${answer.status}`)
      return answer.data
    },
    async listAdmins(session) {
      const answer = await listUsers({ role: Role.admin }, { headers: bearer(session) })
      if (answer.status !== 200) throw new Error(`Refused: ${answer.status}`)
      return answer.data
    },
    async listAuthEvents(session) {
      const filters = { category: KnownAuditCategory.auth, status: null }
      const init = { headers: bearer(session) }
      const answer = await listAuditEvents(session.organization_id, filters, init)
      if (answer.status !== 200) throw new Error(`Refused: ${answer.status}`)
      return answer.data
    },
  }
}

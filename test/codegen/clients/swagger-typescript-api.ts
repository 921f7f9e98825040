import { Api, KnownAuditCategory, Role } from '../generated/swagger-typescript-api.ts'
import { bearer, type Client } from './client.ts'

/** Throws for a refused request. */
export function createSwaggerTypescriptApi(baseUrl: string): Client {
  const { api } = new Api({ baseUrl })
  return {
    register: async (person) => (await api.register(person)).data,
    listAdmins: async (session) =>
      (await api.listUsers({ role: Role.Admin }, { headers: bearer(session) })).data,
    listAuthEvents: async (session) => {
      const filters = { category: KnownAuditCategory.Auth, status: null }
      const params = { headers: bearer(session) }
      return (await api.listAuditEvents(session.organization_id, filters, params)).data
    },
  }
}

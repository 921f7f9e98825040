import {
  knownAuditCategoryEnum,
  listAuditEvents,
  listUsers,
  register,
  roleEnum,
} from '../generated/kubb/index.ts'
import { bearer, type Client } from './client.ts'

/** Uses axios, which throws for a refused request. */
export function createKubb(baseURL: string): Client {
  return {
    register: (person) => register(person, { baseURL }),
    listAdmins: (session) =>
      listUsers({ role: roleEnum.admin }, { baseURL, headers: bearer(session) }),
    listAuthEvents: (session) =>
      listAuditEvents(
        session.organization_id,
        { category: knownAuditCategoryEnum.auth, status: null },
        { baseURL, headers: bearer(session) },
      ),
  }
}

import {
  knownAuditCategoryEnum,
  listAuditEvents,
  listUsers,
  register,
  roleEnum,
} from '../generated/kubb/index.ts'
import { bearer, type Client } from './client.ts'

/** With axios, which throws on its own when it is refused. */
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

import type pg from 'pg'
import * as requests from '../requests.js'
import type { Task } from '../rounds.js'
import type { Setting, Tenant } from '../setting.js'
import type { Side } from '../sides.js'
import { askForBranding, askToRegister } from '../trials.js'

export type OperationName = 'audit100' | 'users10' | 'branding' | 'register'

/** What stands for all that the service does: two lists, a change, and what hashes a password. */
export function scaleTasks(
  { auditMost, users10 }: Setting['tenants'],
  branded: readonly Tenant[],
  clientOf: (side: Side) => pg.Client,
): Record<OperationName, Task> {
  return {
    audit100: {
      title: 'audit events, 100 rows',
      requestsOf: () => [requests.listAuditEvents(auditMost)],
      expectedStatus: 200,
    },
    users10: {
      title: 'users, 10 rows',
      requestsOf: () => [requests.listUsers(users10)],
      expectedStatus: 200,
    },
    branding: {
      title: 'change of a branding',
      requestsOf: (connection) => requests.updateBrandings(branded, connection),
      expectedStatus: 200,
      ask: (side) => askForBranding(clientOf(side), side, branded[0] as Tenant),
    },
    register: {
      title: 'registration (argon2id)',
      requestsOf: requests.registerAgainAndAgain,
      expectedStatus: 201,
      ask: (side) => askToRegister(clientOf(side), side),
    },
  }
}

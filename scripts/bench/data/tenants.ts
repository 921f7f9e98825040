/** The organizations that stand out of the thousand, by their number among them. */
export const tenants = {
  users10: { number: 1, users: 10 },
  users100: { number: 2, users: 100 },
  users1000: { number: 3, users: 1_000 },
  users10000: { number: 4, users: 10_000 },
  audit1: { number: 11, events: 1 },
  audit10000: { number: 12, events: 10_000 },
  auditMost: { number: 13 },
  auditMillion: { number: 14, most: 1_000_000 },
  templates: { number: 21 },
} as const

export type TenantName = keyof typeof tenants

export const organizationCount = 1_000

/** How many users the others have, the first of them an admin. */
export const usualUsers = 3

/** How many audit events the others have. */
export const usualEvents = 5

/** After all generated audit events: what is later, a scenario has recorded. */
export const endOfHistory = '2026-10-02T00:00:00Z'

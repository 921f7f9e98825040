/** The generated organizations that scenarios use by name. */
export const tenants = {
  users10: { number: 1, users: 10 },
  users100: { number: 2, users: 100 },
  users10000: { number: 4, users: 10_000 },
  audit1: { number: 11, events: 1 },
  audit10000: { number: 12, events: 10_000 },
  auditMost: { number: 13 },
  auditMillion: { number: 14, most: 1_000_000 },
  templates: { number: 21 },
} as const

export type TenantName = keyof typeof tenants

export const organizationCount = 1_000

/** Users of every other organization; the first one is an admin. */
export const usualUsers = 3

/** Audit events of every other organization. */
export const usualEvents = 5

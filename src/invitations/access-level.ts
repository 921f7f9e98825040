import type { Role } from '../contract.js'

const roleByLevel = new Map<string, Role>([
  ['employee', 'employee'],
  ['member', 'employee'],
  ['user', 'employee'],
  ['standard', 'employee'],
  ['manager', 'executive'],
  ['lead', 'executive'],
  ['executive', 'executive'],
  ['hr', 'hr'],
  ['human_resources', 'hr'],
  ['admin', 'admin'],
  ['administrator', 'admin'],
  ['bot', 'bot'],
])

/** The role that an access level means; undefined for a text that means none of them. */
export function roleForAccessLevel(access_level: string): Role | undefined {
  return roleByLevel.get(access_level.trim().toLowerCase())
}

const grantableBy: Partial<Record<Role, readonly Role[]>> = {
  super_admin: ['admin', 'hr', 'executive', 'employee', 'bot'],
  admin: ['admin', 'hr', 'executive', 'employee', 'bot'],
  hr: ['executive', 'employee'],
}

/** Whether somebody with the role `granter` may make somebody a `role`. */
export function mayGrant(granter: Role, role: Role): boolean {
  return grantableBy[granter]?.includes(role) ?? false
}

/** The roles that may make somebody a `role`, for the answer to somebody who may not. */
export function grantersOf(role: Role): Role[] {
  const granters: Role[] = ['super_admin', 'admin', 'hr']
  return granters.filter((granter) => mayGrant(granter, role))
}

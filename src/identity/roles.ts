import type { Role } from '../contract.js'

/** The roles that lead all sessions of their organization. */
export const leadingRoles: readonly Role[] = ['super_admin', 'admin', 'hr']

/** Whether users with this role lead all sessions of their organization. */
export const leads = (role: Role) => leadingRoles.includes(role)

import type { Role } from '../contract.js'

/** The roles that lead all sessions of their organization. */
export const leading: readonly Role[] = ['super_admin', 'admin', 'hr']

/** Whether users with this role lead all sessions of their organization. */
export const leads = (role: Role) => leading.includes(role)

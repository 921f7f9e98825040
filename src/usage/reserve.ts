import type { Role } from '../contract.js'
import type { Caller } from '../identity/authenticator.js'
import { leads } from '../identity/roles.js'

const participantRoles: readonly Role[] = ['executive', 'employee']

type AnyCaller = Pick<Caller, 'role' | 'seat'>

export const isParticipant = ({ role, seat }: AnyCaller) =>
  seat !== null || participantRoles.includes(role)

/** Whether a caller leads sessions. A seat never does. */
export const isLeader = ({ role, seat }: AnyCaller) => seat === null && leads(role)

const shareOfOthers = 0.75

/** How much of a shared limit a caller may use. A quarter is kept for those who lead, so that they can speak. */
export const allowedTo = (caller: AnyCaller, allowed: number) =>
  isLeader(caller) ? allowed : Math.ceil(shareOfOthers * allowed)

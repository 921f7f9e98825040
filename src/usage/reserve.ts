import type { Role } from '../contract.js'
import type { Caller } from '../identity/authenticator.js'

const participantRoles: readonly Role[] = ['executive', 'employee']

type AnyCaller = Pick<Caller, 'role' | 'seat'>

export const isParticipant = ({ role, seat }: AnyCaller) =>
  seat !== null || participantRoles.includes(role)

const shareOfParticipants = 0.75

/**
 * How much of a shared limit a caller may use. A quarter is kept for trainers, so that they can always speak.
 */
export const allowedTo = (caller: AnyCaller, allowed: number) =>
  isParticipant(caller) ? Math.ceil(shareOfParticipants * allowed) : allowed

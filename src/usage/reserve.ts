import type { Role } from '../contract.js'
import type { Caller } from '../identity/authenticator.js'

const participantRoles: readonly Role[] = ['executive', 'employee']

type AnyCaller = Pick<Caller, 'role' | 'seat'>

export const isParticipant = ({ role, seat }: AnyCaller) =>
  seat !== null || participantRoles.includes(role)

const shareOfParticipants = 0.75

/**
 * How much of a limit that all share a caller may use. Participants leave a quarter to those who lead. So
 * nobody who only takes part can keep a trainer from speaking.
 */
export const allowedTo = (caller: AnyCaller, allowed: number) =>
  isParticipant(caller) ? Math.ceil(shareOfParticipants * allowed) : allowed

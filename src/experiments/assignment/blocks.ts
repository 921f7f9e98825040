import type { Schema } from '../../contract.js'
import { type Fault, throwFaults, valueFault } from '../../faults.js'
import { type Block, inOrder } from './assignment.js'

type Request = Schema<'SessionAssignment'>

/**
 * The blocks of a request, with one more block without a name for the remaining sessions. Throws 422
 * with every duplicate and every unknown session.
 */
export function readBlocks({ session_ids, blocks }: Request): Block[] {
  const given = blocks ?? []
  const sessions = new Set(session_ids)
  const faults = [...repeated(session_ids), ...faultsIn(given, sessions)]
  throwFaults(faults)
  const blocked = new Set(given.flatMap((block) => block.session_ids))
  const others = session_ids.filter((session) => !blocked.has(session))
  return inOrder(others.length > 0 ? [...given, { name: null, session_ids: others }] : given)
}

function repeated(session_ids: string[]): Fault[] {
  const seen = new Set<string>()
  return session_ids.flatMap((session, i) => {
    const isNew = !seen.has(session)
    seen.add(session)
    return isNew ? [] : [valueFault(['body', 'session_ids', `${i}`], 'duplicate', 'is repeated')]
  })
}

function faultsIn(blocks: Schema<'SessionBlock'>[], sessions: ReadonlySet<string>): Fault[] {
  const names = new Set<string>()
  const blocked = new Set<string>()
  return blocks.flatMap(({ name, session_ids }, b) => {
    const blockLoc = ['body', 'blocks', `${b}`]
    const nameFaults = names.has(name)
      ? [valueFault([...blockLoc, 'name'], 'duplicate', 'another block has this name')]
      : []
    names.add(name)
    const sessionFaults = session_ids.flatMap((session, i) => {
      const loc = [...blockLoc, 'session_ids', `${i}`]
      if (!sessions.has(session))
        return [valueFault(loc, 'unknown_session', 'is not one of session_ids')]
      if (blocked.has(session)) return [valueFault(loc, 'duplicate', 'is in an earlier block')]
      blocked.add(session)
      return []
    })
    return [...nameFaults, ...sessionFaults]
  })
}

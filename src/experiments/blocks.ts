import type { Schema } from '../contract.js'
import { type Fault, throwFaults, valueFault } from '../errors.js'
import { type Block, inOrder } from './assignment.js'

type Request = Schema<'SessionAssignment'>

/**
 * The blocks that a request names, and one without a name for the sessions that are in none of
 * them. Throws 422 with every session or block that is not where it may be.
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
    return isNew ? [] : [valueFault(['body', 'session_ids', `${i}`], 'is there before')]
  })
}

function faultsIn(blocks: Schema<'SessionBlock'>[], sessions: ReadonlySet<string>): Fault[] {
  const names = new Set<string>()
  const blocked = new Set<string>()
  return blocks.flatMap(({ name, session_ids }, b) => {
    const place = ['body', 'blocks', `${b}`]
    const named = names.has(name)
      ? [valueFault([...place, 'name'], 'another block has this name')]
      : []
    names.add(name)
    const placed = session_ids.flatMap((session, i) => {
      const loc = [...place, 'session_ids', `${i}`]
      if (!sessions.has(session)) return [valueFault(loc, 'is not one of session_ids')]
      if (blocked.has(session)) return [valueFault(loc, 'is in a block before')]
      blocked.add(session)
      return []
    })
    return [...named, ...placed]
  })
}

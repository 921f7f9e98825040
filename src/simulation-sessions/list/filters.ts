import type { OperationRequest } from '../../contract.js'
import { containing } from '../../database/expressions.js'
import { callerOf } from '../../identity/caller.js'
import { leads } from '../../identity/roles.js'

/** The filters of a request, and those that limit the list to what the caller may see. */
export function filtersOf(request: OperationRequest<'listSessions'>) {
  const { status = [], participant, scenario_name, name } = request.query
  const { role, user_id } = callerOf(request)
  const [one = null, ...more] = new Set(status)
  // With `participant` the list has only sessions that the caller may see anyway.
  const isLimited = !participant && !leads(role)
  return {
    status: more.length === 0 ? one : null,
    statuses: one && more.length > 0 ? [one, ...more] : null,
    scenario_name: scenario_name || null,
    pattern: name ? containing(name) : null,
    participant_id: participant ? user_id : null,
    reader_id: isLimited ? user_id : null,
    reader_role: isLimited ? role : null,
  }
}

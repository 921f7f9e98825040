import type { Schema } from '../../contract.js'
import type { Experiments } from '../../experiments/session-queries.js'
import { dayMs, minuteMs } from '../../process/clock.js'
import type { LockedSession } from '../queries.js'
import type { PlanEntry } from './compile-plan.js'

const drillMinutes = 90

/** The time on its clock at which a session ends; null if it never ends by itself. */
export function endOf(
  { ends_after_minutes, mode, timing }: LockedSession,
  entries: PlanEntry[],
): number | null {
  if (ends_after_minutes !== null) return ends_after_minutes * minuteMs
  if (mode === 'external') return null
  if (timing === 'drill') return drillMinutes * minuteMs
  return Math.max(0, entries.at(-1)?.offset_ms ?? 0) + dayMs
}

/** Warnings for the trainers of a session that starts. */
export function warningsAtStart(
  { entries, end_offset_ms }: { entries: PlanEntry[]; end_offset_ms: number | null },
  [experiment, ...others]: Experiments,
): Schema<'Warning'>[] {
  const end = end_offset_ms ?? Number.POSITIVE_INFINITY
  const late = entries.filter(({ offset_ms }) => offset_ms > end).length
  return [
    ...(late > 0
      ? [
          {
            field: 'ends_after_minutes',
            value: `${late}`,
            message: 'So many messages lie after the end',
          },
        ]
      : []),
    ...(experiment && experiment.status !== 'running'
      ? [{ field: 'experiment_id', value: experiment._id, message: 'Its experiment does not run' }]
      : []),
    ...others.map(({ _id }) => {
      return { field: 'experiment_id', value: _id, message: 'Another experiment has it in an arm' }
    }),
  ]
}

/** Warnings about decisions that no participant may make. Those who lead can make them on their behalf. */
export function warningsOfDeciders(
  entries: PlanEntry[],
  team: { role_key: string | null; is_active: boolean }[],
): Schema<'Warning'>[] {
  const roles = new Set(team.flatMap(({ role_key, is_active }) => (is_active ? [role_key] : [])))
  return entries.flatMap(({ expectation }) => {
    const { beat, decided_by } = expectation?.decision ?? { beat: '', decided_by: [] }
    if (decided_by.length === 0 || decided_by.some((role) => roles.has(role))) return []
    const message = `Only ${decided_by.join(' or ')} makes this decision, and no active participant has that role`
    return [{ field: 'participants', value: beat, message }]
  })
}

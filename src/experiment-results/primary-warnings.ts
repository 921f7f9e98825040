import type { Schema } from '../contract.js'
import type { ExperimentData } from '../database/tables/simulation.js'
import { trialOf, type Unit } from './comparison/trial.js'

type Warning = Schema<'Warning'>

/** The sessions that have a value of an outcome. */
export function unitsOf(
  sessions: ExperimentData['sessions'],
  values: readonly (number | null)[],
): Unit[] {
  return sessions.flatMap(({ arm, block }, i) => {
    const value = values[i] ?? null
    return value === null ? [] : [{ arm, block, value }]
  })
}

/** Warnings about the primary outcome. */
export function primaryWarnings(
  results: Schema<'OutcomeResult'>[],
  { sessions, outcomes }: ExperimentData,
  plan: Schema<'AnalysisPlan'> | null,
): Warning[] {
  const primary = results.find(({ role }) => role === 'primary')
  const values = outcomes.find(({ role }) => role === 'primary')?.values
  if (!primary || !values) return []
  const { outcome: field, detectable_effect } = primary
  const units = unitsOf(sessions, values)
  const compared = trialOf(units).rows.length
  return [
    ...counted(sessions.length - units.length, field, 'Left out, without a value'),
    ...counted(
      units.length - compared,
      field,
      sessions.some(({ block }) => block !== null)
        ? 'Not compared, because their block has one arm only'
        : 'Not compared, because the other arm has no value',
    ),
    ...powerWarning(plan?.smallest_effect ?? null, detectable_effect),
  ]
}

function powerWarning(wanted: number | null, detectable: number | null): Warning[] {
  if (wanted === null || detectable === null || detectable <= wanted) return []
  const message = 'A difference as small as this is likely to be missed'
  return [{ field: 'smallest_effect', value: `${wanted}`, message }]
}

const counted = (count: number, field: string, what: string): Warning[] =>
  count > 0 ? [{ field, value: `${count}`, message: `${what}: ${sessionsText(count)}` }] : []

const sessionsText = (count: number) => (count === 1 ? '1 session' : `${count} sessions`)

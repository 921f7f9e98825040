import type { Schema } from '../../../shared/forms/schema.js'
import { exportData } from '../../calls/experiments.js'
import { may } from '../../me.js'

/** The value of one session. */
export interface Row {
  arm: Schema<'SessionArm'>
  outcome: string
  value: number | null
}

/** The value of each session. Those who may not export the data see only the means. */
export async function readRows(id: string): Promise<Row[]> {
  if (!may('exportExperimentData')) return []
  const text = await (await exportData(id, 'ndjson', 'rows')).text()
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

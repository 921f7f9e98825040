import { parse } from 'csv-parse/sync'
import type { Schema } from '../../src/contract.js'
import type { Member, startService } from './service.js'

type Service = Pick<Awaited<ReturnType<typeof startService>>, 'call'>

export type Row = Record<string, unknown>

/** The records of an export as NDJSON. */
export const linesOf = (body: string): Row[] =>
  body
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

/** The rows of an export as CSV. */
export const rowsOf = (body: string): Row[] => parse(body, { columns: true })

export const kinds = (records: Row[], kind: string) =>
  records.filter(({ record }) => record === kind)

/** Rates the team by every criterion, so that the ratings of others become visible. */
export async function rateAll(
  { call }: Service,
  { token }: Member,
  session_id: string,
): Promise<void> {
  const params = { session_id }
  const { body } = await call('listSessionRatings', { token, params })
  const values = { ordinal: 3, count: 2, duration: 5, boolean: true, text: 'Calm.' }
  const criteria: Schema<'RubricItem'>[] = body.criteria
  const ratings = criteria.map(({ criterion, scale: { type } }) => {
    return { criterion, value: values[type as keyof typeof values] }
  })
  await call('rateSession', { token, params, body: { ratings } })
}

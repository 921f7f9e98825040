import type { SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import { valueError } from '../errors.js'
import { isId } from '../identifiers.js'
import { inUtc, isDateTime } from '../timestamps.js'
import type { Database } from './schema.js'
import type { ParametersOf } from './statements.js'

/**
 * Rows in one page unless a request says otherwise, and in one piece of a long answer. In pieces of
 * 200, a list of 10,000 users made the process grow by 2.2 times its length instead of 0.3
 * (`npm run bench -- users-10000`).
 */
export const usualLimit = 100

export type TimeColumn = 'created_at' | '_id'

/** A place in a list, between the row with these values and the next one. */
export type Position<Column extends string = TimeColumn> = Record<Column, string>

/** The columns that order a list, each with whether a text can be a value of it. */
export type Order<Column extends string = TimeColumn> = Record<Column, (text: string) => boolean>

/** The order of most lists. */
export const byTime: Order = {
  created_at: (text) => isDateTime(text) && inUtc(text) === text,
  _id: isId,
}

/** The position of a row of the list. */
export function positionOf<Column extends string>(
  order: Order<Column>,
  row: Record<Column, string>,
): Position<Column> {
  const columns = Object.keys(order) as Column[]
  return Object.fromEntries(columns.map((column) => [column, row[column]])) as Position<Column>
}

/** The position that the `cursor` of a request names, if any. Throws 422 when it is none of ours. */
export function readCursor(cursor: string | null | undefined): Position | null
export function readCursor<Column extends string>(
  cursor: string | null | undefined,
  order: Order<Column>,
): Position<Column> | null
export function readCursor(cursor: string | null | undefined, order: Order<string> = byTime) {
  if (!cursor) return null
  const texts = readTexts(Buffer.from(cursor, 'base64url').toString())
  const columns = Object.entries(order)
  const fits = columns.length === texts.length
  if (!fits || !columns.every(([, isValue], i) => isValue(texts[i] ?? ''))) {
    throw valueError(['query', 'cursor'], 'not a cursor of this list')
  }
  return Object.fromEntries(columns.map(([column], i) => [column, texts[i]]))
}

function readTexts(json: string): string[] {
  try {
    const texts: unknown = JSON.parse(json)
    return Array.isArray(texts) && texts.every((text) => typeof text === 'string') ? texts : []
  } catch {
    return []
  }
}

/** The value of `Link` for the page that begins after a position: the same request, further on. */
export function linkToNext<Column extends string>(url: string, position: Position<Column>): string {
  const cursor = JSON.stringify(Object.values(position))
  return linkWith(url, 'cursor', Buffer.from(cursor).toString('base64url'))
}

/** The same for a list that is read on by another parameter of the query, perhaps backwards. */
export function linkWith(
  url: string,
  parameter: string,
  value: string,
  rel: 'next' | 'prev' = 'next',
): string {
  const [path = '', query] = url.split('?')
  const parameters = new URLSearchParams(query)
  parameters.set(parameter, value)
  return `<${path}?${parameters}>; rel="${rel}"`
}

/** A position as the parameters of a statement, null at the beginning of the list. */
export interface After {
  after_created_at: string | null
  after_id: string | null
}

export function afterPosition(position: Position | null): After {
  const { created_at: after_created_at = null, _id: after_id = null } = position ?? {}
  return { after_created_at, after_id }
}

type ListTable =
  | 'audit_events'
  | 'invitations'
  | 'experiments'
  | 'quick_setups'
  | 'simulation_sessions'

/** Orders a list newest first, and begins after a position. */
export function newestFirst<Table extends ListTable, Row>(
  query: SelectQueryBuilder<Database, Table, Row>,
  table: Table,
  { after_created_at, after_id }: After | ParametersOf<After>,
  time = 'created_at',
) {
  const key = sql`(${sql.ref(`${table}.${time}`)}, ${sql.ref(`${table}._id`)})`
  const later = sql<boolean>`${key} < (${after_created_at}, ${after_id})`
  return (after_id === null ? query : query.where(later))
    .orderBy(sql`${sql.ref(`${table}.${time}`)} desc`)
    .orderBy(sql`${sql.ref(`${table}._id`)} desc`)
}

import { valueError } from '../errors.js'
import { isId } from '../identifiers.js'

/** A place in a list that is ordered by creation, newest first. */
export interface Position {
  created_at: string
  _id: string
}

/** An opaque text that names a place, for the `cursor` parameter. */
export function encodeCursor({ created_at, _id }: Position): string {
  return Buffer.from(`${created_at} ${_id}`).toString('base64url')
}

/** Throws a 422 for a text that is no cursor of ours. */
export function decodeCursor(cursor: string): Position {
  const [created_at = '', _id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (!isTimestamp(created_at) || !isId(_id)) {
    throw valueError(['query', 'cursor'], 'not a cursor of this list')
  }
  return { created_at, _id }
}

/** Of the years 1 to 9999: Date reads more of them than PostgreSQL does. */
function isTimestamp(text: string): boolean {
  const date = new Date(text)
  return (
    /^(?!0000)\d{4}-/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString() === text
  )
}

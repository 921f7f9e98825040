import fastq from 'fastq'
import type { Schema } from '../contract.js'
import type { ContractError } from '../errors.js'
import { toContractError } from '../thrown-errors.js'

type Row = Schema<'BulkInvitationRow'>
type Invited = Schema<'InvitedMember'>

/** Rows under way at once: enough to wait for a mail server, few enough to leave room for others. */
const concurrency = 8

/** Longer than 500 letters to a mail server that takes almost 5 s for each. */
export const bulkAnswerMs = 360_000

/**
 * Invites each row on its own: a refused row does not affect the others. After the first letter that
 * the mail server did not accept, the next rows get temporary passwords without trying to send. So a
 * mail server that is down delays the list only once.
 */
export async function inviteRows(
  rows: readonly unknown[],
  invite: (row: unknown, mayMail: boolean) => Promise<Invited>,
  onFault: (error: Error, row: number) => void,
): Promise<Row[]> {
  let mayMail = true
  const queue = fastq.promise(async ([row, body]: [number, unknown]): Promise<Row> => {
    try {
      const invitation = await invite(body, mayMail)
      if (!invitation.email_sent && !invitation.user.is_bot) mayMail = false
      return { row, status: 'invited', invitation, error: null }
    } catch (error) {
      if (!(error instanceof Error)) throw error
      const answer = toContractError(error)
      if (answer.statusCode >= 500 && answer !== error) onFault(error, row)
      return { row, status: 'refused', invitation: null, error: reasonOf(row, answer) }
    }
  }, concurrency)
  return Promise.all(rows.map((body, row) => queue.push([row, body])))
}

/** Why a row was refused. The `loc` of each fault is its position in the request. */
function reasonOf(row: number, { body }: ContractError): NonNullable<Row['error']> {
  if ('code' in body) return { code: body.code, detail: body.detail, faults: [] }
  const detail = 'The row does not fit the contract'
  const rowLoc = ['body', 'invitations', String(row)]
  const faults = body.detail.map(({ loc, ...fault }) => {
    return { ...fault, loc: [...rowLoc, ...loc.slice(1)] }
  })
  return { code: 'validation_error', detail, faults }
}

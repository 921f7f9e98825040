import type { ValidateFunction } from 'ajv'
import fastq from 'fastq'
import type { Schema } from '../contract.js'
import { ContractError, type Fault, toContractError } from '../errors.js'
import { describeFaults } from '../http/validation/faults.js'
import { compileSchema } from '../http/validation/requests.js'

type Row = Schema<'BulkInvitationRow'>
type Invitation = Schema<'Invitation'>
type Invited = Schema<'InvitedMember'>

/** Rows under way at once: enough to wait for a mail server, few enough to leave room for others. */
const atOnce = 8

/**
 * Invites row by row; what one row is refused for harms no other. Once a letter was not taken, the
 * rows after it get temporary passwords at once, so that a dead mail server delays them only once.
 */
export async function inviteRows(
  rows: readonly unknown[],
  invite: (body: Invitation, mayMail: boolean) => Promise<Invited>,
  onFault: (error: Error, row: number) => void,
): Promise<Row[]> {
  let mayMail = true
  const queue = fastq.promise(async ([row, body]: [number, unknown]): Promise<Row> => {
    try {
      const invitation = await invite(readInvitation(row, body), mayMail)
      if (!invitation.email_sent && !invitation.user.is_bot) mayMail = false
      return { row, status: 'invited', invitation, error: null }
    } catch (error) {
      if (!(error instanceof Error)) throw error
      const answer = toContractError(error)
      if (answer.statusCode >= 500) onFault(error, row)
      return { row, status: 'refused', invitation: null, error: reasonOf(answer) }
    }
  }, atOnce)
  return Promise.all(rows.map((body, row) => queue.push([row, body])))
}

/** Throws 422 with the faults of the row, each at its place in the request. */
function readInvitation(row: number, body: unknown): Invitation {
  const validate = invitationValidator()
  if (validate(body)) return body
  const faults = describeFaults('body', validate.errors ?? [])
  throw new ContractError(422, { detail: faults.map((fault) => atRow(row, fault)) })
}

function atRow(row: number, { loc, ...fault }: Fault): Fault {
  return { ...fault, loc: ['body', 'invitations', String(row), ...loc.slice(1)] }
}

let validator: ValidateFunction<Invitation> | undefined

function invitationValidator() {
  validator ??= compileSchema<Invitation>('Invitation')
  return validator
}

function reasonOf({ body }: ContractError): NonNullable<Row['error']> {
  if ('code' in body) return { code: body.code, detail: body.detail, faults: [] }
  const detail = 'The row does not fit the contract'
  return { code: 'validation_error', detail, faults: body.detail }
}

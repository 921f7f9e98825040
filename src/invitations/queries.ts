import type { Insertable, Kysely, Transaction, Updateable } from 'kysely'
import { sql } from 'kysely'
import { jsonColumns } from '../database/expressions.js'
import { preparePage } from '../database/lists.js'
import { type After, newestFirst } from '../database/pages.js'
import type { Database } from '../database/schema.js'
import type { ParametersOf } from '../database/statements.js'
import type { OpaqueToken } from '../identity/opaque-token.js'

type Db = Kysely<Database>
type Trx = Transaction<Database>
interface Owner {
  organization_id: string
  user_id: string
}
type Status = 'pending' | 'accepted' | 'expired' | 'revoked'

const status = sql<Status>`case
  when revoked_at is not null then 'revoked'
  when accepted_at is not null then 'accepted'
  when expires_at <= now() then 'expired'
  else 'pending' end`

/** The contract's InvitationRecord. */
const invitationColumns = [
  '_id',
  'organization_id',
  'user_id',
  'email',
  'full_name',
  'role',
  'email_sent',
  'invited_by',
  'created_at',
  'expires_at',
  'accepted_at',
  'revoked_at',
] as const

/** The name and the look of an organization, for its letters. */
export function selectSender(db: Db, organization_id: string) {
  return db
    .selectFrom('organizations')
    .innerJoin('brandings', 'brandings.organization_id', 'organizations._id')
    .select(['name', 'company_name', 'logo_url', 'primary_color'])
    .where('_id', '=', organization_id)
    .executeTakeFirstOrThrow()
}

export async function insertInvitation(
  trx: Trx,
  invitation: Insertable<Database['invitations']>,
): Promise<void> {
  await trx.insertInto('invitations').values(invitation).execute()
}

interface InvitationFilters extends After {
  organization_id: string
  wanted: Status | null
}

/** A page of invitations, newest first. */
export const selectInvitations = preparePage(
  'select_invitations',
  (db, { organization_id, wanted, ...after }: ParametersOf<InvitationFilters>) => {
    const query = db
      .selectFrom('invitations')
      .select(jsonColumns('invitations', invitationColumns))
      .select(status.as('status'))
      .where('organization_id', '=', organization_id)
      .$if(wanted !== null, (query) => query.where(status, '=', wanted))
    return newestFirst(query, 'invitations', after)
  },
)

/** An invitation, with the role that the account has by now; of a revoked one that it was to have. */
export function selectInvitationForUpdate(trx: Trx, organization_id: string, user_id: string) {
  return trx
    .selectFrom('invitations as invitation')
    .leftJoin('users', (join) =>
      join
        .onRef('users.organization_id', '=', 'invitation.organization_id')
        .onRef('users._id', '=', 'invitation.user_id'),
    )
    .select(['invitation._id', 'invitation.user_id', 'invitation.organization_id'])
    .select(['invitation.email', 'invitation.full_name', 'token_hash', status.as('status')])
    .select((eb) => eb.fn.coalesce('users.role', 'invitation.role').as('role'))
    .where('invitation.organization_id', '=', organization_id)
    .where('invitation.user_id', '=', user_id)
    .forUpdate('invitation')
    .executeTakeFirst()
}

/** The pending invitation whose link carries the token, locked against another use. */
export function selectInvitationByToken(trx: Trx, { organization_id, hash }: OpaqueToken) {
  return trx
    .selectFrom('invitations')
    .select(['organization_id', 'user_id'])
    .where('organization_id', '=', organization_id)
    .where('token_hash', '=', hash)
    .where(status, '=', 'pending')
    .forUpdate()
    .executeTakeFirst()
}

export async function updateInvitation(
  trx: Trx,
  { organization_id, user_id }: Owner,
  values: Updateable<Database['invitations']>,
): Promise<void> {
  await trx
    .updateTable('invitations')
    .set(values)
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .execute()
}

/** The mail with a link was taken, unless a newer secret has replaced the link. */
export async function updateEmailSent(db: Db, { organization_id, hash }: OpaqueToken) {
  await db
    .updateTable('invitations')
    .set({ email_sent: true })
    .where('organization_id', '=', organization_id)
    .where('token_hash', '=', hash)
    .execute()
}

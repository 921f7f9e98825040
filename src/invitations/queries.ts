import type { Insertable, Updateable } from 'kysely'
import { sql } from 'kysely'
import { jsonColumns } from '../database/expressions.js'
import { preparePage } from '../database/lists/lists.js'
import { type After, newestFirst } from '../database/lists/pages.js'
import type { Database, Db, Trx } from '../database/schema.js'
import type { ParametersOf } from '../database/statements.js'
import type { OpaqueToken } from '../identity/opaque-token.js'

interface InvitationKey {
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

/** The name and the branding of an organization, for its letters. */
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

/** An invitation with the account's current role. A revoked one has the role that it offered. */
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

/** The invitation whose newest link has this token. */
export function selectInvitationByToken(
  db: Db,
  { organization_id, hash }: OpaqueToken,
  { lock }: { lock?: 'update' } = {},
) {
  return db
    .selectFrom('invitations')
    .select(['organization_id', 'user_id', 'expires_at', status.as('status')])
    .where('organization_id', '=', organization_id)
    .where('token_hash', '=', hash)
    .$if(lock === 'update', (query) => query.forUpdate())
    .executeTakeFirst()
}

export async function updateInvitation(
  trx: Trx,
  { organization_id, user_id }: InvitationKey,
  values: Updateable<Database['invitations']>,
): Promise<void> {
  await trx
    .updateTable('invitations')
    .set(values)
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .execute()
}

/** Revokes all invitations of an organization that were not accepted. The caller deletes the users. */
export function revokeOpenInvitations(trx: Trx, organization_id: string) {
  return trx
    .updateTable('invitations')
    .set({ revoked_at: sql<string>`now()` })
    .where('organization_id', '=', organization_id)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .returning(['_id', 'organization_id', 'user_id'])
    .execute()
}

/** Records that the mail with a link was sent, unless a newer secret has replaced the link. */
export async function updateEmailSent(db: Db, { organization_id, hash }: OpaqueToken) {
  await db
    .updateTable('invitations')
    .set({ email_sent: true })
    .where('organization_id', '=', organization_id)
    .where('token_hash', '=', hash)
    .execute()
}

import { sql } from 'kysely'
import type { Db, Trx } from '../../database/schema.js'
import type { EndedLinkTable } from '../../database/tables/people.js'
import { type Reason, valueError } from '../../faults.js'
import type { OpaqueToken } from '../opaque-token.js'

type EndedAs = EndedLinkTable['ended_as']

interface LinkOwner {
  organization_id: string
  user_id: string
}

/** How far back we remember why a link no longer works. */
const rememberedSince = sql<string>`now() - interval '30 days'`

/** How many ended links of a user we remember, however often new ones are made. */
const rememberedLinks = 10

/** Remembers why a link no longer works, and forgets older links of the user. */
export const rememberLink = (
  trx: Trx,
  owner: LinkOwner,
  token_hash: string,
  ended_as: EndedAs,
): Promise<void> => rememberLinks(trx, owner.organization_id, [{ ...owner, token_hash }], ended_as)

/** The same for the links of several users of an organization. */
export async function rememberLinks(
  trx: Trx,
  organization_id: string,
  links: { user_id: string; token_hash: string }[],
  ended_as: EndedAs,
): Promise<void> {
  if (links.length === 0) return
  const user_ids = links.map(({ user_id }) => user_id)
  await trx
    .deleteFrom('ended_links')
    .where('organization_id', '=', organization_id)
    .where('user_id', 'in', user_ids)
    .where('ended_at', '<', rememberedSince)
    .execute()
  await trx
    .insertInto('ended_links')
    .values(
      links.map(({ user_id, token_hash }) => ({ organization_id, user_id, token_hash, ended_as })),
    )
    .onConflict((conflict) => conflict.constraint('ended_links_primary_key').doNothing())
    .execute()
  await forgetOlderLinks(trx, organization_id, user_ids)
}

/** Deletes all but the latest ended links of each user. */
async function forgetOlderLinks(
  trx: Trx,
  organization_id: string,
  user_ids: string[],
): Promise<void> {
  const numbered = trx
    .selectFrom('ended_links')
    .select('token_hash')
    .select(
      sql<number>`row_number() over (partition by user_id order by ended_at desc, token_hash)`.as(
        'number',
      ),
    )
    .where('organization_id', '=', organization_id)
    .where('user_id', 'in', user_ids)
  const older = trx
    .selectFrom(numbered.as('numbered'))
    .select('token_hash')
    .where('number', '>', rememberedLinks)
  await trx
    .deleteFrom('ended_links')
    .where('organization_id', '=', organization_id)
    .where('token_hash', 'in', older)
    .execute()
}

export async function selectEndedAs(
  db: Db,
  { organization_id, hash }: OpaqueToken,
): Promise<EndedAs | undefined> {
  const ended = await db
    .selectFrom('ended_links')
    .select('ended_as')
    .where('organization_id', '=', organization_id)
    .where('token_hash', '=', hash)
    .where('ended_at', '>=', rememberedSince)
    .executeTakeFirst()
  return ended?.ended_as
}

/** Why a link does not work. A stranger cannot guess 256 bits, so this tells them nothing. */
export type LinkState =
  | 'incomplete'
  | 'unknown'
  | 'used'
  | 'expired'
  | 'replaced'
  | 'revoked'
  | 'inactive'
  | 'otherAccount'

const messages: Record<LinkState, Reason> = {
  incomplete: ['link_incomplete', 'the link is not complete'],
  unknown: ['link_unknown', 'the link is unknown'],
  used: ['link_used', 'the link was used already'],
  expired: ['link_expired', 'the link has expired'],
  replaced: ['link_replaced', 'the link was replaced by a newer link or password'],
  revoked: ['link_revoked', 'the link was revoked'],
  inactive: ['inactive', 'the person is inactive'],
  otherAccount: ['other_account', 'the link was sent to another account'],
}

export const linkRefused = (state: LinkState, field = 'token') =>
  valueError(['body', field], ...messages[state])

/** The error for a token without a current link. It tells why an earlier link ended. */
export const formerLinkRefused = async (db: Db, token: OpaqueToken) =>
  linkRefused((await selectEndedAs(db, token)) ?? 'unknown')

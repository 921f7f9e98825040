import type { OperationId, Schema } from '../../src/contract.js'
import type { Answer, Member } from './service.js'

type Call = (operationId: OperationId, options: object) => Promise<Answer>
type Link = Schema<'NewSeatLink'>
type Grant = Schema<'SeatGrant'> & { token: string }

/** What a test needs to let people into a session by links. */
export function seatsOf({ call }: { call: Call }) {
  async function createLinks(
    { token }: Pick<Member, 'token'>,
    session_id: string,
    seats: Partial<Schema<'SeatOfLink'>>[] | null = null,
  ): Promise<Link[]> {
    const body = seats ? { body: { seats } } : {}
    return (await call('createSeatLinks', { token, params: { session_id }, ...body })).body
  }

  const tryToTake = (link: Link | undefined) =>
    call('takeSeat', { body: { seat_token: secretOf(link) } })

  async function take(link: Link | undefined): Promise<Grant> {
    const { body } = await tryToTake(link)
    return { ...body, token: body.access_token }
  }

  /** Makes a place for a guest, and takes it. */
  async function linkGuest(admin: Pick<Member, 'token'>, session_id: string) {
    const [link] = await createLinks(admin, session_id, [{ guest: true }])
    return { link, guest: await take(link) }
  }

  /** A new link for a place. */
  async function linkOf(admin: Pick<Member, 'token'>, { session_id, assignment_id }: Grant) {
    const [link] = await createLinks(admin, session_id, [{ assignment_id }])
    return link
  }

  const joinAs = ({ token, session_id }: Grant, display_name: string | null) =>
    call('joinSession', { token, params: { session_id }, body: { consent: true, display_name } })

  return { createLinks, tryToTake, take, linkGuest, linkOf, joinAs }
}

export const secretOf = (link: Link | undefined) => link?.url.split('#')[1] ?? ''

import type pg from 'pg'
import type { TokenSubject } from '../tokens.js'
import { Refusal } from './peer.js'

export interface Caller {
  user_id: string
  organization_id: string
  role: string
}

const rememberedMs = 4_500
const most = 10_000

/** Who may still call and in which role, asked of the database no more than every 4.5 s. */
export function createCallers(pool: pg.Pool) {
  const remembered = new Map<string, { caller: Promise<Caller> | Caller; until: number }>()

  async function select({ sub, org }: TokenSubject): Promise<Caller> {
    const { rows } = await pool.query<Caller>({
      name: 'caller',
      text: `select _id as user_id, organization_id, role from users
        where organization_id = $1 and _id = $2 and is_active`,
      values: [org, sub],
    })
    const [caller] = rows
    if (!caller) throw new Refusal(401)
    return caller
  }

  return function find(subject: TokenSubject): Promise<Caller> | Caller {
    const now = Date.now()
    const known = remembered.get(subject.sub)
    if (known && known.until > now) return known.caller
    if (remembered.size >= most) remembered.clear()
    const entry: { caller: Promise<Caller> | Caller; until: number } = {
      caller: select(subject),
      until: now + rememberedMs,
    }
    remembered.set(subject.sub, entry)
    return Promise.resolve(entry.caller).then(
      (caller) => {
        entry.caller = caller
        return caller
      },
      (error: unknown) => {
        remembered.delete(subject.sub)
        throw error
      },
    )
  }
}

/** Who calls, if the organization named is theirs and one of the roles is. */
export function allow(
  caller: Caller,
  roles: readonly string[],
  organization_id = caller.organization_id,
): Caller {
  if (caller.organization_id !== organization_id) throw new Refusal(404)
  if (!roles.includes(caller.role)) throw new Refusal(403)
  return caller
}

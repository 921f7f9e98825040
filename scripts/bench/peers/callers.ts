import type pg from 'pg'
import type { TokenSubject } from '../tokens.js'
import { Refusal } from './peer.js'

export interface Caller {
  user_id: string
  organization_id: string
  role: string
  must_change_password: boolean
}

const rememberedMs = 4_500
const most = 10_000

const selectCaller = `
  select u._id as user_id, u.organization_id, role,
    coalesce(c.is_temporary, false) as must_change_password,
    coalesce(last_seen < now() - interval '5 minutes', true) as is_overdue
  from users u
    join login_sessions s on s.organization_id = u.organization_id and s.user_id = u._id
    left join credentials c on c.organization_id = u.organization_id and c.user_id = u._id
  where u.organization_id = $1 and u._id = $2 and s._id = $3 and ended_at is null and is_active`

const updateLastSeen = 'update users set last_seen = now() where organization_id = $1 and _id = $2'

/** Who is still logged in and in which role, asked of the database no more than every 4.5 s. */
export function createCallers(pool: pg.Pool) {
  const remembered = new Map<string, { caller: Promise<Caller> | Caller; until: number }>()

  async function select({ sub, org, sid }: TokenSubject): Promise<Caller> {
    const { rows } = await pool.query<Caller & { is_overdue: boolean }>({
      name: 'caller',
      text: selectCaller,
      values: [org, sub, sid],
    })
    const [row] = rows
    if (!row) throw new Refusal(401)
    const { is_overdue, ...caller } = row
    // Nobody waits for it.
    if (is_overdue) pool.query(updateLastSeen, [org, sub]).catch(console.error)
    return caller
  }

  return function find(subject: TokenSubject): Promise<Caller> | Caller {
    const now = Date.now()
    const key = `${subject.org} ${subject.sub} ${subject.sid}`
    const known = remembered.get(key)
    if (known && known.until > now) return known.caller
    if (remembered.size >= most) remembered.clear()
    const entry: { caller: Promise<Caller> | Caller; until: number } = {
      caller: select(subject),
      until: now + rememberedMs,
    }
    remembered.set(key, entry)
    return Promise.resolve(entry.caller).then(
      (caller) => {
        entry.caller = caller
        return caller
      },
      (error: unknown) => {
        remembered.delete(key)
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
  if (caller.must_change_password) throw new Refusal(403)
  return caller
}

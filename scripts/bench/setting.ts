import type pg from 'pg'
import { type TenantName, tenants } from './data/tenants.js'
import { type BenchDatabase, openBenchDatabase } from './database.js'
import type { Options } from './options.js'
import type { Outcome } from './report.js'
import { signToken } from './tokens.js'

export interface Tenant {
  organization_id: string
  /** The access token of its admin. */
  token: string
}

/** What every scenario is given. */
export interface Setting {
  options: Options
  database: BenchDatabase
  tenants: Record<TenantName, Tenant>
}

export interface Scenario {
  name: string
  /** Why it cannot be run here, if it cannot. */
  missing?(): string | null
  /** `before` are the outcomes of those that ran before it, by name. */
  run(setting: Setting, before: Readonly<Record<string, Outcome>>): Promise<Outcome>
}

export async function openSetting(options: Options): Promise<Setting> {
  const database = await openBenchDatabase(options)
  const numbers = Object.values(tenants).map(({ number }) => number)
  const admins = await selectAdmins(database.client, numbers)
  const named = Object.keys(tenants).map((name, index) => [name, admins[index]])
  return { options, database, tenants: Object.fromEntries(named) }
}

/** The admins of generated organizations. */
export async function selectAdmins(client: pg.Client, organizations: number[]): Promise<Tenant[]> {
  const { rows } = await client.query<Admin>(
    `select bench.organization_id(number), bench.user_id(number, 1)
    from unnest($1::int[]) with ordinality as tenant (number, place) order by place`,
    [organizations],
  )
  return rows.map(adminOf)
}

interface Admin {
  organization_id: string
  user_id: string
}

/** Every admin has one session, which is named like them. */
export function adminOf({ organization_id, user_id }: Admin): Tenant {
  const subject = { sub: user_id, org: organization_id, role: 'admin', sid: user_id }
  return { organization_id, token: signToken(subject) }
}

import { sql } from 'kysely'
import type { Db } from '../../database/schema.js'
import type { StoredTemplate } from '../queries.js'

type TemplateKey = Pick<StoredTemplate, 'scenario_name' | 'channel_name'>

/** The templates of an organization that branch, without those that a request writes. */
interface Filters {
  organization_id: string
  scenario_names: string[]
  except: TemplateKey[]
  /** The template under its stored name. */
  except_id?: string | null | undefined
}

/** The most bytes that are read for one request. */
const maxBytes = 1_048_576

/** The branches of a template; null if those before it are too long together. */
export interface StoredBranches extends TemplateKey {
  branches: StoredTemplate['message_templates'] | null
}

/** The messages by which other active templates of these scenarios branch, without their texts. */
export async function selectBranches(
  db: Db,
  { organization_id, scenario_names, except, except_id = null }: Filters,
): Promise<StoredBranches[]> {
  const scenarios = except.map(({ scenario_name }) => scenario_name)
  const channels = except.map(({ channel_name }) => channel_name)
  const { rows } = await sql<StoredBranches>`
    select scenario_name, channel_name, case when bytes <= ${maxBytes} then branches end as branches
    from (
      select scenario_name, channel_name, branches, sum(octet_length(branches::text)) over (
        order by scenario_name, channel_name, _id rows unbounded preceding) as bytes
      from channel_templates
      where organization_id = ${organization_id}
        and scenario_name = any(${scenario_names}::text[])
        and is_active and branches <> '[]' and _id is distinct from ${except_id}::uuid
        and (scenario_name, channel_name) not in
          (select * from unnest(${scenarios}::text[], ${channels}::text[]))
    ) as branching
    order by bytes`.execute(db)
  return rows
}

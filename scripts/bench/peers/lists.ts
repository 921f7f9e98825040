import { isoTime } from '../data/iso-time.js'

const times = new Set(['last_seen', 'created_at', 'updated_at'])

/** PostgreSQL writes all rows of a list as one JSON array. */
function jsonList(table: string, columns: string, order: string): string {
  const selected = columns
    .split(/\s+/)
    .map((name) => (times.has(name) ? `${isoTime(name)} as ${name}` : name))
  return `select coalesce(json_agg(item), '[]')::text from (
    select ${selected.join(', ')} from ${table} where organization_id = $1 order by ${order}
  ) as item`
}

/** The statements of the lists by their paths, where a star stands for the organization. */
export const lists: Record<string, string> = {
  '/api/v1/users/': jsonList(
    'users',
    `_id username email organization_id full_name role is_bot is_active avatar_url bio created_at
    updated_at education certifications hobbies career_goals metadata last_seen`,
    '_id',
  ),
  '/api/v1/admin/simulation/channel-templates': jsonList(
    'channel_templates',
    `_id organization_id scenario_name channel_name message_templates is_active
    apply_to_existing_users created_at updated_at`,
    'scenario_name, channel_name, _id',
  ),
  // Each event is stored as its JSON text. One more row would say whether there is another page.
  '/api/v1/admin/simulation/audit-events/*': `
    select '[' || coalesce(string_agg(document, ','), '') || ']' from (
      select document from audit_events where organization_id = $1
      order by created_at desc, _id desc limit 100
    ) as event`,
}

type ColumnKind = 'id' | 'text' | 'json' | 'boolean' | 'time'

/** A list that is read: its fields in their order, and where they come from. */
export interface List {
  name: string
  table: string
  roles: readonly string[]
  columns: readonly { name: string; from: string; kind: ColumnKind }[]
  order: string
}

export interface Statement {
  name?: string
  text: string
  values: unknown[]
}

/** What the columns have to be; null for no matter what. */
export type Conditions = Record<string, string | null>

const kinds: Record<string, ColumnKind> = {
  _id: 'id',
  organization_id: 'id',
  is_bot: 'boolean',
  is_active: 'boolean',
  apply_to_existing_users: 'boolean',
  education: 'json',
  certifications: 'json',
  hobbies: 'json',
  career_goals: 'json',
  metadata: 'json',
  message_templates: 'json',
  departments: 'json',
  control_session_ids: 'json',
  intervention_session_ids: 'json',
  assignment_ids: 'json',
  assignment: 'json',
  start_at: 'time',
  end_at: 'time',
  last_seen: 'time',
  created_at: 'time',
  updated_at: 'time',
}

function columnsOf(names: string, from: Record<string, string> = {}): List['columns'] {
  return names
    .trim()
    .split(/\s+/)
    .map((name) => ({ name, from: from[name] ?? name, kind: kinds[name] ?? 'text' }))
}

export const users: List = {
  name: 'users',
  table: 'users',
  // The others would see the directory view, which no scenario asks for.
  roles: ['admin', 'hr'],
  columns: columnsOf(`_id username email organization_id full_name role is_bot is_active avatar_url
    bio created_at updated_at education certifications hobbies career_goals metadata last_seen`),
  order: '_id',
}

export const channelTemplates: List = {
  name: 'channel_templates',
  table: 'channel_templates',
  roles: ['admin', 'hr', 'bot'],
  columns: columnsOf(`_id organization_id scenario_name channel_name message_templates is_active
    apply_to_existing_users created_at updated_at`),
  order: 'scenario_name, channel_name, _id',
}

export const experiments: List = {
  name: 'experiments',
  table: 'experiments',
  roles: ['admin', 'hr', 'executive'],
  columns: columnsOf(
    `_id organization_id name hypothesis status control_session_ids intervention_session_ids
    assignment_ids assignment start_at end_at metadata created_by created_at updated_at`,
    // As JSON, as which a driver reads them without parsing an array's text.
    {
      control_session_ids: 'to_json(control_session_ids)',
      intervention_session_ids: 'to_json(intervention_session_ids)',
      assignment_ids: 'to_json(assignment_ids)',
    },
  ),
  order: 'experiments.created_at desc, _id desc',
}

export const auditEvents: List = {
  name: 'audit_events',
  table: 'audit_events',
  roles: ['admin'],
  columns: columnsOf(
    `_id organization_id category event_type status actor_type actor_id case_id request_id
    conversation_id channel_id thread_id metadata created_at updated_at`,
    { updated_at: 'created_at' },
  ),
  order: 'audit_events.created_at desc, _id desc',
}

export const brandingColumns = columnsOf(`organization_id company_name logo_url primary_color
  sidebar_color departments welcome_message updated_at`)

export function isoTime(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** The rows with their columns as they are. */
export function selectRows(list: List, conditions: Conditions, limit?: number): Statement {
  return select('rows', list, conditions, limit)
}

/** All rows as one JSON array that PostgreSQL writes. */
export function selectJson(list: List, conditions: Conditions, limit?: number): Statement {
  return select('json', list, conditions, limit)
}

/** The stored text of each row, and one more to know whether there are others. */
export function selectTexts(list: List, conditions: Conditions, limit: number): Statement {
  return select('texts', list, conditions, limit + 1)
}

type Form = 'rows' | 'json' | 'texts'
const texts = new Map<string, string>()

/** Named, and so prepared once, unless several filters could make PostgreSQL plan for no one. */
function select(form: Form, list: List, conditions: Conditions, limit?: number): Statement {
  const values: unknown[] = []
  let name = `${form} ${list.name}`
  for (const [column, value] of Object.entries(conditions)) {
    if (value === null) continue
    values.push(value)
    name += ` ${column}`
  }
  const filters = values.length - 1
  if (limit !== undefined) values.push(limit)
  const text = texts.get(name) ?? writeSelect(form, list, conditions, limit)
  texts.set(name, text)
  return filters > 1 ? { text, values } : { name, text, values }
}

function writeSelect(form: Form, list: List, conditions: Conditions, limit?: number): string {
  const columns = list.columns.map(({ name, from, kind }) => {
    const value = form === 'json' && kind === 'time' ? isoTime(from) : from
    return value === name ? name : `${value} as ${name}`
  })
  const given = Object.keys(conditions).filter((column) => conditions[column] !== null)
  const where = given.map((column, index) => `${column} = $${index + 1}`)
  const selected = form === 'texts' ? 'document' : columns.join(', ')
  const rows = `select ${selected} from ${list.table} where ${where.join(' and ')}
    order by ${list.order}${limit === undefined ? '' : ` limit $${given.length + 1}`}`
  return form !== 'json'
    ? rows
    : `select coalesce(json_agg(item), '[]')::text from (${rows}) as item`
}

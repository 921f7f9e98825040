const text = { type: 'string' } as const
const nullableText = { type: 'string', nullable: true } as const
const time = { type: 'string', format: 'date-time' } as const
const freeForm = { type: 'object', additionalProperties: true } as const

function fields<T>(names: string, schema: T): Record<string, T> {
  return Object.fromEntries(names.split(' ').map((name) => [name, schema]))
}

const object = (properties: Record<string, unknown>) => ({ type: 'object', properties })
const arrayOf = (items: unknown) => ({ type: 'array', items })

const user = object({
  ...fields('_id username email organization_id', text),
  full_name: nullableText,
  role: text,
  is_bot: { type: 'boolean' },
  is_active: { type: 'boolean' },
  ...fields('avatar_url bio', nullableText),
  ...fields('created_at updated_at', time),
  education: arrayOf(object(fields('degree field_of_study university graduation_year', text))),
  certifications: arrayOf(object(fields('name year issuer', text))),
  hobbies: arrayOf(text),
  career_goals: object(
    fields('dream_job experience_level career_goal current_role department', text),
  ),
  metadata: freeForm,
  last_seen: { ...time, nullable: true },
})

const threadReply = object({
  ...fields('sender_character_id content', text),
  offset_minutes: { type: 'integer' },
  metadata: freeForm,
})

const message = object({
  ...fields('sender_character_id content', text),
  offset_hours: { type: 'integer' },
  thread_replies: arrayOf(threadReply),
  metadata: freeForm,
})

const channelTemplate = object({
  ...fields('_id organization_id scenario_name channel_name', text),
  message_templates: arrayOf(message),
  ...fields('is_active apply_to_existing_users', { type: 'boolean' }),
  ...fields('created_at updated_at', time),
})

const auditEvent = object({
  ...fields('_id organization_id category event_type status', text),
  ...fields('actor_type actor_id case_id request_id', nullableText),
  ...fields('conversation_id channel_id thread_id', nullableText),
  metadata: freeForm,
  ...fields('created_at updated_at', time),
})

/** The answers of the hand-written peer, by the name of the list or operation. */
export const responseSchemas = {
  users: arrayOf(user),
  channel_templates: arrayOf(channelTemplate),
  audit_events: arrayOf(auditEvent),
  branding: object({
    organization_id: text,
    ...fields('company_name logo_url primary_color sidebar_color welcome_message', nullableText),
    departments: arrayOf(text),
    updated_at: time,
  }),
  grant: object({
    ...fields('access_token user_id username organization_id role token_type', text),
    expires_in: { type: 'integer' },
    refresh_token: text,
  }),
}

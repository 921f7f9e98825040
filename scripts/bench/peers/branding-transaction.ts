import { isDeepStrictEqual } from 'node:util'
import type { PoolClient } from 'pg'
import { v7 } from 'uuid'
import {
  assignment,
  type BrandingUpdate,
  brandingUpdated,
  brandingValues,
  fields,
} from './branding.js'
import type { Caller } from './callers.js'
import { eventDocument } from './event-document.js'

const updateBranding = `
  update brandings set ${fields.map(assignment).join(', ')}, updated_at = now()
  from (select * from brandings where organization_id = $1 for update) as old
  where brandings.organization_id = old.organization_id
  returning brandings.*, to_jsonb(old) as old`

const document = eventDocument({
  _id: '$2::uuid',
  organization_id: '$1::uuid',
  ...brandingUpdated,
  actor_id: '$3::text',
  request_id: '$4::text',
  metadata: '$5::jsonb',
})

const insertEvent = `
  insert into audit_events (organization_id, _id, category, event_type, status, actor_type,
    actor_id, request_id, metadata, document)
  values ($1, $2, 'organization', 'branding_updated', 'success', 'user', $3, $4, $5,
    ${document})`

/**
 * The change and its audit event as most people write them: four round trips with those of
 * the transaction around them.
 */
export async function changeBranding(
  client: PoolClient,
  update: BrandingUpdate,
  caller: Caller,
): Promise<unknown> {
  const { organization_id, user_id } = caller
  const values = brandingValues(update, caller).slice(0, fields.length + 1)
  const { rows } = await client.query({ name: 'update branding', text: updateBranding, values })
  const [{ old, ...branding }] = rows
  const changed = fields.filter((field) => !isDeepStrictEqual(old[field], branding[field]))
  const changes = Object.fromEntries(
    changed.map((field) => [field, { from: old[field], to: branding[field] }]),
  )
  if (changed.length > 0) {
    const event = [organization_id, v7(), user_id, v7(), { changes }]
    await client.query({ name: 'insert event', text: insertEvent, values: event })
  }
  return branding
}

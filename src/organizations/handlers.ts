import { auditEventRow, changesBetween, recordAuditEvents } from '../audit-events/record.js'
import type { Handler, Schema } from '../contract.js'
import { uniqueDepartments } from './departments.js'
import { selectOrganization } from './organization.js'
import * as queries from './queries.js'

export const getOrganization: Handler<'getOrganization'> = async (request) =>
  selectOrganization(request.server.db, request.params.organization_id)

export const updateOrganization: Handler<'updateOrganization'> = async (request) => {
  const { organization_id } = request.params
  const wanted = request.body.name?.trim()

  return request.server.db.transaction().execute(async (trx) => {
    const name = await queries.selectNameForUpdate(trx, organization_id)
    const changes = changesBetween({ name }, { name: wanted ?? name })
    if (wanted !== undefined && wanted !== name) {
      await queries.updateName(trx, organization_id, wanted)
      await recordAuditEvents(trx, request, [
        { organization_id, category: 'organization', event_type: 'organization_updated', changes },
      ])
    }
    return selectOrganization(trx, organization_id)
  })
}

export const getBranding: Handler<'getBranding'> = async (request) =>
  queries.selectBranding(request.server.db, request.params.organization_id)

export const updateBranding: Handler<'updateBranding'> = async (request) => {
  const { organization_id } = request.params
  const event = { organization_id, category: 'organization', event_type: 'branding_updated' }
  const row = auditEventRow(request, event)
  return queries.updateBranding(
    request.server.db,
    organization_id,
    brandingFields(request.body),
    row,
  )
}

type BrandingFields = Partial<Omit<Schema<'Branding'>, 'organization_id' | 'updated_at'>>

/** What a request wants changed: null leaves a field as it is, an empty text clears it. */
function brandingFields({ departments, ...body }: Schema<'BrandingUpdate'>): BrandingFields {
  const fields: BrandingFields = {}
  const texts = [
    'company_name',
    'logo_url',
    'primary_color',
    'sidebar_color',
    'welcome_message',
  ] as const
  for (const name of texts) {
    const text = body[name]
    if (typeof text === 'string') fields[name] = text === '' ? null : text
  }
  if (departments) fields.departments = uniqueDepartments(departments)
  return fields
}

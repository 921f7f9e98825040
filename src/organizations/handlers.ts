import { changesBetween, recordAuditEvents } from '../audit-events/record.js'
import type { Handler, Schema } from '../contract.js'
import { createId } from '../formats/identifiers.js'
import { updatedText } from '../updates.js'
import * as brandingQueries from './branding-queries.js'
import { uniqueDepartments } from './departments.js'
import * as queries from './queries.js'

export const createOrganization: Handler<'createOrganization'> = async (request) => {
  const organization = { _id: createId(), name: request.body.name.trim() }
  const { _id: organization_id } = organization

  return request.db.transaction().execute(async (trx) => {
    await queries.insertOrganization(trx, organization)
    await recordAuditEvents(trx, request, [
      { organization_id, category: 'organization', event_type: 'organization_created' },
    ])
    return queries.selectOrganization(trx, organization_id)
  })
}

export const getOrganization: Handler<'getOrganization'> = async (request) =>
  queries.selectOrganization(request.db, request.params.organization_id)

export const updateOrganization: Handler<'updateOrganization'> = async (request) => {
  const { organization_id } = request.params
  const wanted = request.body.name?.trim()

  return request.db.transaction().execute(async (trx) => {
    const name = await queries.selectNameForUpdate(trx, organization_id)
    const changes = changesBetween({ name }, { name: wanted ?? name })
    if (wanted !== undefined && wanted !== name) {
      await queries.updateName(trx, organization_id, wanted)
      await recordAuditEvents(trx, request, [
        { organization_id, category: 'organization', event_type: 'organization_updated', changes },
      ])
    }
    return queries.selectOrganization(trx, organization_id)
  })
}

export const getBranding: Handler<'getBranding'> = async (request) =>
  queries.selectBranding(request.db, request.params.organization_id)

export const updateBranding: Handler<'updateBranding'> = async (request) => {
  const { organization_id } = request.params

  return request.db.transaction().execute(async (trx) => {
    const before = await brandingQueries.selectBrandingForUpdate(trx, organization_id)
    const wanted = applyUpdate(before, request.body)
    const changes = changesBetween(before, wanted)
    if (Object.keys(changes).length === 0) return before
    await recordAuditEvents(trx, request, [
      { organization_id, category: 'organization', event_type: 'branding_updated', changes },
    ])
    return brandingQueries.updateBranding(trx, wanted)
  })
}

/** The branding after an update. Null leaves a field as it is. */
function applyUpdate(
  stored: Schema<'Branding'>,
  body: Schema<'BrandingUpdate'>,
): Schema<'Branding'> {
  return {
    ...stored,
    company_name: updatedText(stored.company_name, body.company_name),
    logo_url: updatedText(stored.logo_url, body.logo_url),
    primary_color: updatedText(stored.primary_color, body.primary_color),
    sidebar_color: updatedText(stored.sidebar_color, body.sidebar_color),
    welcome_message: updatedText(stored.welcome_message, body.welcome_message),
    departments: body.departments ? uniqueDepartments(body.departments) : stored.departments,
  }
}

import { auditEventRow, changesBetween, recordAuditEvents } from '../audit-events/record.js'
import type { Handler } from '../contract.js'
import * as brandingQueries from './branding-queries.js'
import { uniqueDepartments } from './departments.js'
import * as queries from './queries.js'

export const getOrganization: Handler<'getOrganization'> = async (request) =>
  queries.selectOrganization(request.server.db, request.params.organization_id)

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
    return queries.selectOrganization(trx, organization_id)
  })
}

export const getBranding: Handler<'getBranding'> = async (request) =>
  queries.selectBranding(request.server.db, request.params.organization_id)

export const updateBranding: Handler<'updateBranding'> = async (request) => {
  const { organization_id } = request.params
  const { departments } = request.body
  const wanted = { ...request.body, departments: departments && uniqueDepartments(departments) }
  const event = { organization_id, category: 'organization', event_type: 'branding_updated' }
  return brandingQueries.updateBranding(
    request.server.db,
    organization_id,
    wanted,
    auditEventRow(request, event),
  )
}

import { recordAuditEvents } from '../audit-events/record.js'
import { type Handler, JsonText, type Schema } from '../contract.js'
import { defaultPageSize, linkToNext, type Order, readCursor } from '../database/lists/pages.js'
import { pageOfRows } from '../database/lists/row-pages.js'
import { callerOf } from '../identity/caller.js'
import { lockOrganization } from '../organizations/queries.js'
import { requireWithinLimit } from '../usage/require-limits.js'
import { defaultConsentText, hashOfText } from './consent-text.js'
import * as queries from './queries.js'

const byVersion: Order<'version'> = { version: (text) => /^\d{1,9}$/.test(text) }

export const listConsentTexts: Handler<'listConsentTexts'> = async (request, reply) => {
  const { organization_id } = request.params
  const { limit = defaultPageSize } = request.query
  const position = readCursor(request, byVersion)
  const before = position && Number(position.version)
  const filters = { organization_id, before, limit: limit + 1 }
  const stored = await queries.selectConsentTexts(request.db, filters)
  const isLastPage = stored.length <= limit && before !== defaultConsentText.version
  const rows = isLastPage ? [...stored, defaultConsentText] : stored
  const { text, last } = pageOfRows(rows, limit)
  if (last) {
    reply.header('link', linkToNext(request.originalUrl, { version: String(last.version) }))
  }
  return new JsonText<Schema<'ConsentTextList'>>(text)
}

export const createConsentText: Handler<'createConsentText'> = async (request) => {
  const { organization_id } = request.params
  const { text } = request.body
  const { user_id: created_by } = callerOf(request)
  return request.db.transaction().execute(async (trx) => {
    await lockOrganization(trx, organization_id)
    const current = await queries.selectCurrentText(trx, organization_id)
    const sha256 = hashOfText(text)
    if (current.sha256 === sha256) return current
    await requireWithinLimit(trx, request.server.usage.defaults, organization_id, 'consent_texts')
    const version = current.version + 1
    const values = { organization_id, version, text, sha256, created_by }
    const created = await queries.insertConsentText(trx, values)
    const metadata = { version, sha256 }
    const event_type = 'consent_text_changed'
    await recordAuditEvents(trx, request, [
      { organization_id, category: 'organization', event_type, metadata },
    ])
    return created
  })
}

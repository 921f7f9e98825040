import { Attachment, type Handler } from '../contract.js'
import { afterPosition, linkToNext, readCursor } from '../database/lists/pages.js'
import { type Reason, throwFaults, valueError } from '../faults.js'
import { withByteOrderMark } from '../formats/csv.js'
import { callerOf } from '../identity/caller.js'
import { loadAuditCatalogue } from './catalogue.js'
import { endOfTrail } from './chain/chain-queries.js'
import { checkpointAt, readCheckpoint } from './chain/checkpoint.js'
import { clientEvents, faultsOf } from './client-events.js'
import { exportTrail } from './export/export-trail.js'
import { contentTypeOf } from './export/trail-formats.js'
import * as queries from './queries.js'
import { changesBetween, recordAuditEvents as record } from './record.js'
import { lockRetention, selectRetention, updateRetention } from './retention-queries.js'
import { sealTrail } from './sealing/seal.js'
import { CheckpointTooOld, verifyTrail } from './verification/verify.js'

export const listAuditEvents: Handler<'listAuditEvents'> = async (request, reply) => {
  const { organization_id } = request.params
  const { limit } = request.query
  const filters = queries.readFilters(request.query)
  const { after_created_at, after_id } = afterPosition(readCursor(request))
  const values = { organization_id, after_created_at, after_id, ...filters }
  const { db } = request
  const { rows, last } = await queries.selectAuditEvents(db, values, limit)
  if (last) reply.header('link', linkToNext(request.originalUrl, last))
  return rows
}

export const recordAuditEvents: Handler<'recordAuditEvents'> = async (request) => {
  const { organization_id } = request.params
  const { events } = request.body
  const faults = events.flatMap((event, i) => faultsOf(event, ['body', 'events', String(i)]))
  throwFaults(faults)
  const { user_id } = callerOf(request)
  const event_ids = await request.db
    .transaction()
    .execute((trx) => record(trx, request, clientEvents(organization_id, events, user_id)))
  return { event_ids }
}

export const exportAuditEvents: Handler<'exportAuditEvents'> = async (request) => {
  const { organization_id } = request.params
  const { format = 'ndjson', bom } = request.query
  const { db, fetchInTurn, pause } = request
  const filters = queries.readFilters(request.query)
  const given = Object.entries(filters).filter(([, value]) => value !== null)
  const metadata = { format, filters: Object.fromEntries(given) }
  const event = { organization_id, category: 'audit', event_type: 'audit_exported', metadata }
  await db.transaction().execute((trx) => record(trx, request, [event]))
  await sealTrail(db, organization_id)
  const pieces = await exportTrail(db, fetchInTurn, { organization_id, filters, pause }, format)
  const day = new Date().toISOString().slice(0, 10)
  return new Attachment(
    contentTypeOf(format),
    `audit-events-${organization_id}-${day}.${format}`,
    withByteOrderMark(pieces, { format, bom }),
  )
}

export const getAuditCatalogue: Handler<'getAuditCatalogue'> = async () => loadAuditCatalogue()

export const verifyAuditTrail: Handler<'verifyAuditTrail'> = async (request) => {
  const { organization_id } = request.params
  const { checkpoint } = request.query
  const { db, fetchInTurn, pause } = request
  const { auditKeys } = request.server
  const goal = checkpoint ? await readCheckpoint(checkpoint, auditKeys.jwks) : null
  if (checkpoint && goal?.organization_id !== organization_id) {
    throw checkpointRefused(
      'checkpoint_invalid',
      'is not a checkpoint of this organization that this service has signed',
    )
  }
  return verifyTrail({ db, organization_id, fetchInTurn, pause }, goal).catch((error) => {
    throw error instanceof CheckpointTooOld
      ? checkpointRefused('checkpoint_expired', 'is older than the events that retention has kept')
      : error
  })
}

const checkpointRefused = (...reason: Reason) => valueError(['query', 'checkpoint'], ...reason)

export const createAuditCheckpoint: Handler<'createAuditCheckpoint'> = async (request) => {
  const { organization_id } = request.params
  const { db } = request
  const { auditKeys } = request.server
  await sealTrail(db, organization_id)
  const signed = checkpointAt(organization_id, await endOfTrail(db, organization_id))
  const checkpoint = await auditKeys.sign(signed)
  const { sequence, hash } = signed
  const event = { organization_id, category: 'audit', event_type: 'audit_checkpoint_created' }
  await db
    .transaction()
    .execute((trx) => record(trx, request, [{ ...event, metadata: { sequence, hash } }]))
  return { ...signed, checkpoint }
}

export const getAuditKeys: Handler<'getAuditKeys'> = async (request) =>
  request.server.auditKeys.jwks

export const getAuditRetention: Handler<'getAuditRetention'> = async (request) =>
  selectRetention(request.db, request.params.organization_id)

export const updateAuditRetention: Handler<'updateAuditRetention'> = async (request) => {
  const { organization_id } = request.params
  const { days } = request.body
  return request.db.transaction().execute(async (trx) => {
    const retention = await lockRetention(trx, organization_id)
    const changes = changesBetween({ days: retention?.days }, { days })
    if (changes.days) {
      await updateRetention(trx, organization_id, days)
      const event = { organization_id, category: 'audit', event_type: 'audit_retention_updated' }
      await record(trx, request, [{ ...event, changes }])
    }
    return { organization_id, days }
  })
}

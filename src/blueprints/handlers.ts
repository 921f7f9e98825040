import type { FastifyReply, FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'
import { type Handler, JsonText, NotModified, type Schema } from '../contract.js'
import { isBroken } from '../database/errors.js'
import { linkToNext, readCursor } from '../database/lists/pages.js'
import type { Trx } from '../database/schema.js'
import { waitBriefly } from '../database/short-waits.js'
import {
  blueprintNotFound,
  setupInUse,
  setupNotFound,
  setupRolledBack,
  setupSuperseded,
} from '../errors.js'
import { entityTagOf, isKnown, setEntityTag } from '../formats/entity-tags.js'
import { createId, isId } from '../formats/identifiers.js'
import type { AccessTransaction } from '../identity/access-changes.js'
import { callerOf, requireOrganization, scopeOf } from '../identity/caller.js'
import { lockOrganization } from '../organizations/queries.js'
import { countSetupBytes } from '../usage/counters/count-queries.js'
import type { DefaultLimits } from '../usage/default-limits.js'
import { requireCountWithinLimit, requireWithinLimit } from '../usage/require-limits.js'
import { type BlueprintText, blueprintsFor, byScenario } from './blueprints.js'
import { changeEvents, countsOf, itemsOf } from './setup/outcome.js'
import { answerOf, appliedEvents, differencesOf, recordOf } from './setup/setup-answer.js'
import { planSetup, type SetupRequest } from './setup/setup-plan.js'
import * as history from './setup/undo/history-queries.js'
import { planRollback } from './setup/undo/rollback.js'
import { writeChanges } from './setup/write-changes.js'

export const listBlueprints: Handler<'listBlueprints'> = async (request, reply) => {
  const { limit } = request.query
  const after = readCursor(request, byScenario)?.scenario_type ?? ''
  const blueprints = blueprintsFor(callerOf(request).role, request.server.catalogue)
  const rest = blueprints.filter((one) => one.scenario_type > after)
  const page = rest.slice(0, limit)
  const last = page.length < rest.length ? page.at(-1) : undefined
  if (last) {
    const { scenario_type } = last
    reply.header('link', linkToNext(request.originalUrl, { scenario_type }))
  }
  const text = `[${page.map((one) => one.listed).join()}]`
  return answerUnlessUnchanged<Schema<'BlueprintList'>>(request, reply, {
    tag: entityTagOf(text),
    text,
  })
}

export const getBlueprint: Handler<'getBlueprint'> = async (request, reply) => {
  const { scenario_type } = request.params
  const blueprints = blueprintsFor(callerOf(request).role, request.server.catalogue)
  const blueprint = blueprints.find((one) => one.scenario_type === scenario_type)
  if (!blueprint) throw blueprintNotFound()
  return answerUnlessUnchanged<Schema<'Blueprint'>>(request, reply, blueprint)
}

function answerUnlessUnchanged<Body>(
  request: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  { tag, text }: Pick<BlueprintText, 'tag' | 'text'>,
): JsonText<Body> | NotModified {
  setEntityTag(reply, tag)
  return isKnown(request, tag) ? new NotModified() : new JsonText<Body>(text)
}

export const applyQuickSetup: Handler<'applyQuickSetup'> = async (request) => {
  const setupRequest = await readSetup(request)
  const { organization_id, applied_by } = setupRequest
  const _id = createId()

  return changeSetup(request, organization_id, async (trx) => {
    const plan = await planSetup(trx, setupRequest, { lock: 'update' })
    await requireWithinLimit(trx, request.server.usage.defaults, organization_id, 'quick_setups')
    await writeChanges(trx, request.server.usage.defaults, organization_id, plan.changes)
    await storeRecord(trx, request.server.usage.defaults, recordOf(_id, plan))
    await recordAuditEvents(trx, request, appliedEvents(_id, plan))
    const answer = await answerOf(trx, plan, request.body)
    return { _id, ...answer, applied_at: plan.setup.applied_at, applied_by }
  })
}

/** Stores an application. Throws 409 if all of them keep too many bytes. */
async function storeRecord(
  trx: Trx,
  defaults: DefaultLimits,
  record: ReturnType<typeof recordOf>,
): Promise<void> {
  const { organization_id } = record
  const used = await countSetupBytes(trx, organization_id)
  await history.insertQuickSetup(trx, record)
  const adding = (await countSetupBytes(trx, organization_id)) - used
  await requireCountWithinLimit(trx, defaults, organization_id, 'quick_setup_bytes', {
    used,
    adding,
  })
}

export const previewQuickSetup: Handler<'previewQuickSetup'> = async (request) => {
  const setupRequest = await readSetup(request)
  // Reads one consistent snapshot and takes no locks.
  const snapshot = request.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
  return snapshot.execute(async (trx) => {
    const plan = await planSetup(trx, setupRequest)
    const answer = await answerOf(trx, plan, request.body)
    return { _id: null, ...answer, applied_at: null, applied_by: null, ...differencesOf(plan) }
  })
}

/**
 * Runs one change of an organization's setups at a time. Tries once more when another request took a
 * name after this one had read it as free.
 */
async function changeSetup<T>(
  { db, server }: Pick<FastifyRequest, 'db' | 'server'>,
  organization_id: string,
  work: (trx: AccessTransaction) => Promise<T>,
): Promise<T> {
  const change = () =>
    server.authenticator.transaction(db, async (trx) => {
      await waitBriefly(trx, () => lockOrganization(trx, organization_id))
      return work(trx)
    })
  const isNameTaken = (error: Error) =>
    isBroken('users_username_unique', error) || isBroken('channel_templates_channel_unique', error)
  return change().catch((error) => (isNameTaken(error) ? change() : Promise.reject(error)))
}

type RequestWithSetup = Pick<FastifyRequest, 'caller' | 'db' | 'server'> & {
  body: Schema<'QuickSetup'>
}

/** Reads the request. Throws 404 for an organization that the caller cannot reach. */
async function readSetup(request: RequestWithSetup): Promise<SetupRequest> {
  const { user_id: applied_by, ...caller } = callerOf(request)
  const { scenario_type, team_size = null, overwrite_existing, metadata = {} } = request.body
  const organization_id = request.body.organization_id || caller.organization_id
  await requireOrganization(request, organization_id)
  const fields = { organization_id, scenario_type, team_size, overwrite_existing, metadata }
  const { catalogue } = request.server
  return { ...fields, catalogue, models: request.body, applied_by }
}

export const listQuickSetups: Handler<'listQuickSetups'> = async (request, reply) => {
  const { organization_id, scenario_type, limit } = request.query
  const after = history.afterApplication(readCursor(request, history.byApplication))
  const filters = { scenario_type: scenario_type || null, ...after }
  const scope = organization_id ? { organization_id } : scopeOf(request)
  const { db } = request
  const { rows, last } = await history.selectQuickSetups(db, scope, filters, limit)
  if (last) reply.header('link', linkToNext(request.originalUrl, last))
  return rows
}

export const getQuickSetup: Handler<'getQuickSetup'> = async (request) => findSetup(request)

type RequestWithSetupId = Pick<FastifyRequest, 'caller' | 'db' | 'server'> & {
  params: { setup_id: string }
}

/** Finds the setup of the path. Throws 404, the same for a foreign and an unknown one. */
async function findSetup(request: RequestWithSetupId) {
  const { setup_id } = request.params
  if (!isId(setup_id)) throw setupNotFound()
  const setup = await history.selectQuickSetup(request.db, scopeOf(request), setup_id)
  if (!setup) throw setupNotFound()
  return setup
}

export const rollbackQuickSetup: Handler<'rollbackQuickSetup'> = async (request) => {
  const { _id: setup_id, organization_id, scenario_type } = await findSetup(request)
  const { user_id } = callerOf(request)

  return changeSetup(request, organization_id, async (trx) => {
    const application = await history.selectRecordedChanges(trx, organization_id, setup_id)
    if (application.rolled_back_at) throw setupRolledBack()
    const latest = await history.selectLatest(trx, organization_id, scenario_type)
    if (latest && latest._id !== setup_id) throw setupSuperseded(latest._id)
    const { changes, uses } = await planRollback(trx, application)
    if (uses.length > 0) throw setupInUse(uses)

    await writeChanges(trx, request.server.usage.defaults, organization_id, changes)
    await history.updateRolledBack(trx, organization_id, setup_id, user_id)
    const metadata = { setup_id, scenario_type, ...countsOf(itemsOf(changes)) }
    const event = { organization_id, category: 'blueprint', event_type: 'quick_setup_rolled_back' }
    await recordAuditEvents(trx, request, [
      { ...event, metadata },
      ...changeEvents({ organization_id, setup_id }, changes),
    ])
    const record = await history.selectQuickSetup(trx, { organization_id }, setup_id)
    if (!record) throw setupNotFound()
    return record
  })
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Schema } from '../contract.js'
import type { Db, Trx } from '../database/schema.js'
import { selectOwner } from '../database/scope.js'
import { experimentNotFound } from '../errors.js'
import { entityTagOf, requireMatch, setEntityTag } from '../formats/entity-tags.js'
import { isId } from '../formats/identifiers.js'
import { scopeOf } from '../identity/caller.js'
import type { StoredExperiment } from './design.js'
import * as queries from './queries.js'
import { withWarnings } from './readiness/warnings.js'

type Request = Pick<FastifyRequest, 'caller' | 'db' | 'server' | 'headers'> & {
  params: { experiment_id: string }
}

/** The experiment that the path names. Throws 404 when the caller cannot reach it. */
export async function findExperiment(request: Request): Promise<StoredExperiment> {
  const { experiment_id: _id } = request.params
  const experiment = isId(_id)
    ? await queries.selectExperiment(request.db, scopeOf(request), _id)
    : undefined
  if (!experiment) throw experimentNotFound()
  return experiment
}

/**
 * The same, locked until the transaction ends. Throws 412 when it is no longer the version that
 * `If-Match` names.
 */
export async function lockExperiment(trx: Trx, request: Request) {
  const { experiment_id: _id } = request.params
  if (!isId(_id)) throw experimentNotFound()
  const organization_id = await selectOwner(trx, 'experiments', scopeOf(request), _id)
  const stored =
    organization_id && (await queries.selectExperimentForUpdate(trx, organization_id, _id))
  if (!stored) throw experimentNotFound()
  const { has_run, ...experiment } = stored
  requireMatch(request, entityTagOf(experiment))
  return { experiment, has_run }
}

/** Answers with an experiment, its warnings and its entity tag. */
export async function answerWith(
  reply: FastifyReply,
  db: Db,
  experiment: StoredExperiment,
): Promise<Schema<'Experiment'>> {
  setEntityTag(reply, entityTagOf(experiment))
  return withWarnings(db, experiment)
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely, Transaction } from 'kysely'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { entityTagOf, requireMatch } from '../entity-tags.js'
import { experimentNotFound } from '../errors.js'
import { isId } from '../identifiers.js'
import { scopeOf } from '../identity/caller.js'
import type { StoredExperiment } from './design.js'
import * as queries from './queries.js'
import { withWarnings } from './warnings.js'

type Request = Pick<FastifyRequest, 'caller' | 'db' | 'server' | 'headers'> & {
  params: { experiment_id: string }
}

/** The experiment that the path names, if the caller can reach it; throws 404 otherwise. */
export async function findExperiment(request: Request): Promise<StoredExperiment> {
  const { experiment_id } = request.params
  if (!isId(experiment_id)) throw experimentNotFound()
  const { db } = request
  const experiment = await queries.selectExperiment(db, scopeOf(request), experiment_id)
  if (!experiment) throw experimentNotFound()
  return experiment
}

/** The same, locked against another change. Throws 412 when it is no more what `If-Match` names. */
export async function lockExperiment(trx: Transaction<Database>, request: Request) {
  const { experiment_id } = request.params
  if (!isId(experiment_id)) throw experimentNotFound()
  const scope = scopeOf(request)
  const owner =
    scope === 'every organization'
      ? await queries.selectExperimentOwner(trx, experiment_id)
      : scope.organization_id
  const stored = owner && (await queries.selectExperimentForUpdate(trx, owner, experiment_id))
  if (!stored) throw experimentNotFound()
  const { has_run, ...experiment } = stored
  requireMatch(request, entityTagOf(experiment))
  return { experiment, has_run }
}

/** The answer with an experiment, and the entity tag that names it. */
export async function answerWith(
  reply: FastifyReply,
  db: Kysely<Database>,
  experiment: StoredExperiment,
): Promise<Schema<'Experiment'>> {
  reply.header('etag', entityTagOf(experiment))
  return withWarnings(db, experiment)
}

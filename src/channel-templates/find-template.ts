import type { FastifyRequest } from 'fastify'
import type { Trx } from '../database/schema.js'
import { selectOwner } from '../database/scope.js'
import { templateNotFound } from '../errors.js'
import { entityTagOf, requireMatch } from '../formats/entity-tags.js'
import { isId } from '../formats/identifiers.js'
import { scopeOf } from '../identity/caller.js'
import { selectTemplate } from './queries.js'
import { selectTemplateForUpdate } from './rows/write-queries.js'

type TemplateRequest = FastifyRequest<{ Params: { template_id: string } }>
type Request = Pick<TemplateRequest, 'caller' | 'headers' | 'db' | 'params'>

/** The template that the path names. Throws 404 when the caller cannot reach it. */
export async function findTemplate(request: Request) {
  const { template_id: _id } = request.params
  const template = isId(_id) ? await selectTemplate(request.db, scopeOf(request), _id) : undefined
  if (!template) throw templateNotFound()
  return template
}

/** The organization that the template is in. A super_admin gets a 404 if there is no such template. */
export async function findOwner(trx: Trx, request: Request): Promise<string> {
  const { template_id: _id } = request.params
  const owner = await selectOwner(trx, 'channel_templates', scopeOf(request), _id)
  if (!owner) throw templateNotFound()
  return owner
}

/**
 * The same template, locked until the transaction ends. Throws 412 when it is no longer the version
 * that `If-Match` names.
 */
export async function lockTemplate(trx: Trx, request: Request, scope = scopeOf(request)) {
  const { template_id: _id } = request.params
  if (!isId(_id)) throw templateNotFound()
  const organization_id = await selectOwner(trx, 'channel_templates', scope, _id)
  const template = organization_id && (await selectTemplateForUpdate(trx, organization_id, _id))
  if (!template) throw templateNotFound()
  requireMatch(request, entityTagOf(template))
  return template
}

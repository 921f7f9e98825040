import type { FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import type { Database } from '../database/schema.js'
import { entityTagOf, requireMatch } from '../entity-tags.js'
import { templateNotFound } from '../errors.js'
import { isId } from '../identifiers.js'
import { scopeOf } from '../identity/caller.js'
import { selectTemplate } from './queries.js'
import { selectTemplateForUpdate, selectTemplateOwner } from './write-queries.js'

type TemplateRequest = FastifyRequest<{ Params: { template_id: string } }>
type Request = Pick<TemplateRequest, 'caller' | 'headers' | 'db' | 'params'>

/** The template that a path names, if the caller can reach it. Throws 404 otherwise. */
export async function findTemplate(request: Request) {
  const { template_id } = request.params
  const template = isId(template_id)
    ? await selectTemplate(request.db, scopeOf(request), template_id)
    : undefined
  if (!template) throw templateNotFound()
  return template
}

/** In whose organization it would be; a super_admin names it without. Throws 404 for none. */
export async function findOwner(trx: Transaction<Database>, request: Request): Promise<string> {
  const scope = scopeOf(request)
  if (scope !== 'every organization') return scope.organization_id
  const { template_id } = request.params
  const owner = isId(template_id) ? await selectTemplateOwner(trx, template_id) : undefined
  if (!owner) throw templateNotFound()
  return owner
}

/** The template, locked against another change. Throws 412 when `If-Match` names another state. */
export async function lockTemplate(
  trx: Transaction<Database>,
  request: Request,
  organization_id: string,
) {
  const { template_id } = request.params
  const template = isId(template_id)
    ? await selectTemplateForUpdate(trx, organization_id, template_id)
    : undefined
  if (!template) throw templateNotFound()
  requireMatch(request, entityTagOf(template))
  return template
}

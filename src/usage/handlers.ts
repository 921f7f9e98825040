import type { Handler } from '../contract.js'
import { limitNames, limits } from '../limits.js'
import { selectAllowed } from './limit-queries.js'

export const getUsage: Handler<'getUsage'> = async (request) => {
  const { db } = request
  const { organization_id } = request.params
  const { usage } = request.server
  const allowed = await selectAllowed(db, usage.defaults, organization_id)
  const used = await usage.used(db, organization_id)
  return {
    organization_id,
    limits: limitNames.map((name) => {
      const { per, description } = limits[name]
      const numbers = {
        used: used.get(name) ?? null,
        allowed: allowed[name],
        default: usage.defaults.verified[name],
      }
      return { name, per, description, ...numbers }
    }),
  }
}

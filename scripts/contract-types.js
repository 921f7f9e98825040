import { readFileSync, writeFileSync } from 'node:fs'
import { load } from 'js-yaml'
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'

/**
 * Writes the types of a contract as handlers see requests: the validation has filled in the
 * defaults, so a field that has one is always there. In the contract a default stands in a schema
 * of its own, and callers, who may leave the field out, get it as optional.
 */
const [, , description, output] = process.argv
const contract = load(readFileSync(description, 'utf8'))

const resolve = ($ref) =>
  $ref
    .slice(2)
    .split('/')
    .reduce((parent, key) => parent[key], contract)

for (const { properties = {} } of Object.values(contract.components?.schemas ?? {})) {
  for (const field of Object.values(properties)) {
    const preset = field.$ref && resolve(field.$ref).default
    if (preset !== undefined) field.default = preset
  }
}

const types = await openapiTS(contract)
writeFileSync(output, `${COMMENT_HEADER}${astToString(types)}`)

import { readFileSync, writeFileSync } from 'node:fs'
import { load } from 'js-yaml'
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'

/**
 * Writes the types of a contract. In the contract a default stands in a schema of its own, so callers
 * get the field as optional. Handlers always have it, because the validation has filled it in.
 */
const [, , description, output, side] = process.argv
const contract = load(readFileSync(description, 'utf8'))

const resolve = ($ref) =>
  $ref
    .slice(2)
    .split('/')
    .reduce((parent, key) => parent[key], contract)

function fillInDefaults() {
  for (const { properties = {} } of Object.values(contract.components?.schemas ?? {})) {
    for (const field of Object.values(properties)) {
      const preset = field.$ref && resolve(field.$ref).default
      if (preset !== undefined) field.default = preset
    }
  }
}

if (side !== 'callers') fillInDefaults()
const types = await openapiTS(contract)
writeFileSync(output, `${COMMENT_HEADER}${astToString(types)}`)

import type { ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { CatalogueFile, Fault } from './files.js'

/** Finds values that do not fit the schema. */
export function shapeFaults(files: CatalogueFile[], schema: object): Fault[] {
  // Ajv compiles twice as fast without inlining and without checking the schema itself.
  const quick = { inlineRefs: false, validateSchema: false }
  const ajv = new Ajv2020({ allErrors: true, strict: false, verbose: true, ...quick })
  ajv.addSchema(schema, 'catalogue')
  return files.flatMap((file) => {
    if (ajv.validate(`catalogue#/components/schemas/${file.kind}`, file.data)) return []
    const faults = mostSpecific(ajv.errors ?? []).map((error) => ({ file, ...faultOf(error) }))
    const once = new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault]))
    return [...once.values()]
  })
}

/** Keeps the errors of the form that a value has, and drops those of the forms it does not have. */
function mostSpecific(errors: ErrorObject[]): ErrorObject[] {
  const ownErrors = errors.filter(({ keyword }) => keyword !== 'oneOf' && keyword !== 'if')
  const better = new Set(
    ownErrors.filter(({ keyword }) => keyword !== 'type').map(({ instancePath }) => instancePath),
  )
  return ownErrors.filter(
    ({ keyword, instancePath }) => keyword !== 'type' || !better.has(instancePath),
  )
}

/** Describes an error by its path. For a pattern it uses the description in the schema. */
function faultOf({ instancePath, keyword, message = '', params, parentSchema }: ErrorObject) {
  const unknown: string | undefined = params.additionalProperty ?? params.unevaluatedProperty
  const steps = instancePath.split('/').slice(1).map(decoded)
  const path = unknown === undefined ? steps : [...steps, unknown]
  const where = path.length > 0 ? `${path.join('/')} ` : ''
  if (unknown !== undefined) return { path, message: `${where}is not known here` }
  if (keyword === 'pattern') return { path, message: `${where}${parentSchema?.description}` }
  const what = keyword === 'enum' ? ` (${params.allowedValues.join(', ')})` : ''
  return { path, message: `${where}${message}${what}` }
}

/** Decodes a step of a JSON pointer. */
const decoded = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~')

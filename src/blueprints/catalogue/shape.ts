import type { ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { CatalogueFile, Fault } from './files.js'

/** Where files have another shape than the schema says. */
export function shapeFaults(files: CatalogueFile[], schema: object): Fault[] {
  // Neither inlined nor checked itself, the schema is ready in half the time.
  const quick = { inlineRefs: false, validateSchema: false }
  const ajv = new Ajv2020({ allErrors: true, strict: false, verbose: true, ...quick })
  ajv.addSchema(schema, 'catalogue')
  return files.flatMap((file) => {
    if (ajv.validate(`catalogue#/components/schemas/${file.kind}`, file.data)) return []
    const faults = telling(ajv.errors ?? []).map((error) => ({ file, ...faultOf(error) }))
    const once = new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault]))
    return [...once.values()]
  })
}

/** Of a text that may be a mapping, too, what is wrong with it as what it is. */
function telling(errors: ErrorObject[]): ErrorObject[] {
  const said = errors.filter(({ keyword }) => keyword !== 'oneOf' && keyword !== 'if')
  const better = new Set(
    said.filter(({ keyword }) => keyword !== 'type').map(({ instancePath }) => instancePath),
  )
  return said.filter(({ keyword, instancePath }) => keyword !== 'type' || !better.has(instancePath))
}

/** What a pattern wants, its description says. */
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

const decoded = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~')

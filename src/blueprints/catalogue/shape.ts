import { Ajv2020 } from 'ajv/dist/2020.js'
import type { CatalogueFile, Fault } from './files.js'

/** Where files have another shape than the schema says. */
export function shapeFaults(files: CatalogueFile[], schema: unknown): Fault[] {
  // Neither inlined nor checked itself, the schema is ready in a third of the time of a start.
  const quick = { inlineRefs: false, validateSchema: false }
  const ajv = new Ajv2020({ allErrors: true, strict: false, ...quick })
  ajv.addSchema(schema as object, 'catalogue')
  return files.flatMap((file) => {
    if (ajv.validate(`catalogue#/components/schemas/${file.kind}`, file.data)) return []
    return (ajv.errors ?? [])
      .filter(({ keyword }) => !['oneOf', 'if'].includes(keyword))
      .map(({ instancePath, message = '', params }) => {
        const path = instancePath.split('/').slice(1)
        const what = Object.values(params).flat().join(', ')
        const where = path.length > 0 ? `${path.join('/')} ` : ''
        return { file, path, message: `${where}${message}${what ? ` (${what})` : ''}` }
      })
  })
}

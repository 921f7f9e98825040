import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { declaredOnly, type SchemaObject } from './declared.js'
import { addContractVocabulary } from './formats.js'

/** Ajv for requests: it sets defaults, converts nothing and removes unknown fields. */
function createAjv(allErrors: boolean) {
  const ajv = new Ajv2020({
    allErrors,
    verbose: true,
    strict: true,
    allowUnionTypes: true,
    useDefaults: true,
    removeAdditional: true,
    coerceTypes: false,
  })
  return addContractVocabulary(ajv)
}

/** Compiles each schema once, when it is first used. `allErrors: false` reports only the first fault. */
export function createCompiler({ allErrors = true } = {}) {
  let ajv: Ajv2020 | undefined
  const compiled = new Map<SchemaObject, ValidateFunction>()
  return (schema: SchemaObject): ValidateFunction => {
    const known = compiled.get(schema)
    if (known) return known
    ajv ??= createAjv(allErrors)
    const validate = ajv.compile(declaredOnly(schema))
    compiled.set(schema, validate)
    return validate
  }
}

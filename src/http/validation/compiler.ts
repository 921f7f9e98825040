import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { declaredOnly, type SchemaObject } from './declared.js'
import { addContractVocabulary } from './formats.js'

/** Ajv for what requests bring: defaults, no conversion, unknown fields taken away. */
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

/** Compiles each schema once, when it is first asked for; to tell all faults or the first one. */
export function createCompiler({ allErrors = true } = {}) {
  const ajv = createAjv(allErrors)
  const compiled = new Map<SchemaObject, ValidateFunction>()
  return (schema: SchemaObject): ValidateFunction => {
    const validate = compiled.get(schema) ?? ajv.compile(declaredOnly(schema))
    compiled.set(schema, validate)
    return validate
  }
}

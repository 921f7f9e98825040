import fastJsonStringify, { type Schema } from 'fast-json-stringify'
import fastify from 'fastify'
import openapiGlue from 'fastify-openapi-glue'
import { loadContract } from '../../../src/contract.js'
import { createCompiler } from '../../../src/http/validation/compiler.js'
import type { SchemaObject } from '../../../src/http/validation/declared.js'
import { enforceable } from '../../../src/http/validation/enforcement.js'
import { t } from '../../helpers/file.js'
import { operations } from '../../helpers/walk.js'

/** The schemas of requests and answers, which the service compiles when it first needs them. */
async function readSchemas() {
  const requests = new Map<string, SchemaObject>()
  const answers = new Map<string, Schema>()
  const app = fastify({ exposeHeadRoutes: false })
  app.setValidatorCompiler<SchemaObject>(({ schema, method, url, httpPart }) => {
    requests.set(`${method} ${url} ${httpPart}`, schema)
    return () => true
  })
  app.setSerializerCompiler<Schema>(({ schema, method, url, httpStatus }) => {
    answers.set(`${method} ${url} ${httpStatus}`, schema)
    return JSON.stringify
  })
  await app.register(openapiGlue, {
    specification: enforceable(loadContract().document),
    operationResolver: () => async () => {},
  })
  await app.ready()
  await app.close()
  return { requests, answers }
}

t.test('Every schema compiles', async (t) => {
  const { requests, answers } = await readSchemas()
  const bodies = [...requests.keys()].filter((place) => place.endsWith('body'))
  t.ok(bodies.length >= operations.filter(({ bodyRequired }) => bodyRequired).length)
  for (const compile of [createCompiler(), createCompiler({ allErrors: false })]) {
    for (const [place, schema] of requests) {
      if (!place.endsWith('headers')) t.doesNotThrow(() => compile(schema), place)
    }
  }
  for (const [place, schema] of answers) t.doesNotThrow(() => fastJsonStringify(schema), place)
})

t.test('Only successful answers have a serializer', async (t) => {
  const { answers } = await readSchemas()
  t.ok(answers.size > 50)
  for (const place of answers.keys()) t.match(place, / 2\d\d$/)
})

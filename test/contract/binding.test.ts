import Fastify from 'fastify'
import type { Contract, Operation, OperationId } from '../../src/contract.js'
import { routes } from '../../src/http/routes.js'
import { operations as handlers } from '../../src/operations.js'
import { t } from '../helpers/file.js'
import { contract, locate, operations, type SchemaObject } from '../helpers/walk.js'

t.test('Audit events are described by their category', async (t) => {
  const pointer = ['components', 'schemas', 'KnownAuditCategory']
  const { enum: known = [] } = locate<SchemaObject>(pointer).node
  t.strictSame(Object.keys(contract.auditEvents).sort(), [...known].sort())
  for (const { description, event_types } of Object.values(contract.auditEvents)) {
    t.match(description, /^[A-Z].*\.$/)
    for (const [event_type, meaning] of Object.entries(event_types)) {
      t.match(event_type, /^[a-z]+(_[a-z]+)+$/)
      t.match(meaning, /^[A-Z].*\.$/, event_type)
    }
  }
})

t.test('Binding', async (t) => {
  const bind = (one: Contract) => routes(Fastify(), { contract: one, operations: handlers })
  const extra = { ...(operations[0] as Operation), path: '/api/v1/tango' }
  const operationId = 'danceTango' as OperationId
  const paths = contract.document.paths as object
  const responses = { 200: { description: 'Danced.' } }
  const document = {
    ...contract.document,
    paths: { ...paths, '/api/v1/tango': { post: { operationId, responses } } },
  }

  t.test('refuses a contract with an operation that has no handler', async (t) => {
    const wider = { ...contract, document, operations: [...operations, { ...extra, operationId }] }
    await t.rejects(bind(wider), /danceTango has no handler/)
  })

  t.test('refuses a document with an operation that is missing in the contract', async (t) => {
    await t.rejects(bind({ ...contract, document }), /danceTango/)
  })
})

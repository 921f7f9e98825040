import { loadContract, type OperationId } from '../../../src/contract.js'
import { jsonRequest } from '../client.js'
import { hostileBodies } from '../hostile-bodies.js'
import type { Account } from './arena.js'
import type { Shot } from './flood.js'
import { repeating, type Storm, stormOf } from './storm.js'

const megabyte = 2 ** 20
const brackets = Buffer.alloc(megabyte, '[')

/** The size of each body: just below the limit, so its length alone does not refuse it. */
const bytes = Math.floor(0.98 * megabyte)

const { operations } = loadContract()

/** The requests of an operation, each with another body that costs much to refuse. */
function hostileShots(wanted: OperationId, { organization_id, token }: Account): Shot[] {
  const operation = operations.find(({ operationId }) => operationId === wanted)
  if (!operation) throw new Error(`The contract has no operation ${wanted}`)
  const path = operation.path.replace('{organization_id}', organization_id)
  const { headers } = jsonRequest('POST', path, {}, operation.roles ? token : undefined)
  return hostileBodies
    .filter(({ operationId }) => operationId === wanted)
    .map(({ make }) => ({ method: 'POST', path, headers, body: Buffer.from(make(bytes)) }))
}

const hostile = (name: string, wanted: OperationId[]) =>
  stormOf(name, ({ stormer }) => {
    const shots = wanted.flatMap((operationId) => hostileShots(operationId, stormer))
    return (ask, number) => ask(shots[number % shots.length] as Shot)
  })

/** Bodies that are wrong. */
export const bodyStorms: Storm[] = [
  repeating('1 MiB of [, no token', () => ({
    ...jsonRequest('POST', '/api/v1/auth/login', {}),
    body: brackets,
  })),
  repeating('1 MiB of [', ({ organization_id, token }) => ({
    ...jsonRequest('PUT', `/api/v1/organizations/${organization_id}/branding`, {}, token),
    body: brackets,
  })),
  hostile('wrong bodies, no token', ['register']),
  hostile('wrong bodies', ['createChannelTemplate', 'recordAuditEvents']),
]

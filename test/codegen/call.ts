import { deepEqual } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Client } from './clients/client.ts'
import { createHeyApi } from './clients/hey-api.ts'
import { createKubb } from './clients/kubb.ts'
import { createOpenapiFetch } from './clients/openapi-fetch.ts'
import { createOrval } from './clients/orval.ts'
import { createSwaggerTypescriptApi } from './clients/swagger-typescript-api.ts'

const [, , url = ''] = process.argv

const clients: Record<string, Client> = {
  'openapi-typescript and openapi-fetch': createOpenapiFetch(url),
  '@hey-api/openapi-ts': createHeyApi(url),
  orval: createOrval(),
  'kubb and axios': createKubb(url),
  'swagger-typescript-api': createSwaggerTypescriptApi(url),
}

async function check(client: Client): Promise<void> {
  const session = await client.register({
    email: `${randomUUID()}@codegen.example`,
    password: randomUUID(),
    organization_name: 'Codegen',
    first_name: 'Ada',
    last_name: 'Okafor',
  })
  const admins = await client.listAdmins(session)
  deepEqual(
    admins.map(({ _id, role }) => [_id, role]),
    [[session.user_id, 'admin']],
  )
  const events = await client.listAuthEvents(session)
  deepEqual(
    events.map(({ category, event_type }) => [category, event_type]),
    [['auth', 'user_registered']],
  )
}

async function main(): Promise<void> {
  for (const [name, client] of Object.entries(clients)) {
    await check(client)
    console.log(`${name}: registers, lists users and audit events`)
  }
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})

import { deepEqual } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Client } from './clients/client.ts'
import { createHeyApi } from './clients/hey-api.ts'
import { createHeyApiDrill } from './clients/hey-api-drill.ts'
import { createKubb } from './clients/kubb.ts'
import { createOpenapiFetch } from './clients/openapi-fetch.ts'
import { createOpenapiFetchDrill } from './clients/openapi-fetch-drill.ts'
import { createOrval } from './clients/orval.ts'
import { createSwaggerTypescriptApi } from './clients/swagger-typescript-api.ts'
import { type DrillClient, playDrill } from './drill.ts'
import { callEveryOperation } from './operations/every.ts'

const [, , url = ''] = process.argv

const clients: Record<string, Client> = {
  'openapi-typescript and openapi-fetch': createOpenapiFetch(url),
  '@hey-api/openapi-ts': createHeyApi(url),
  orval: createOrval(),
  'kubb and axios': createKubb(url),
  'swagger-typescript-api': createSwaggerTypescriptApi(url),
}

const drills: Record<string, DrillClient> = {
  'openapi-typescript and openapi-fetch': createOpenapiFetchDrill(url),
  '@hey-api/openapi-ts with zod': createHeyApiDrill(url),
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
  for (const [name, client] of Object.entries(drills)) {
    await playDrill(client)
    console.log(`${name}: plays a drill`)
  }
  console.log(`openapi-fetch: calls each of ${await callEveryOperation(url)} operations`)
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})

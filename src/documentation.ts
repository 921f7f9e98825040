import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { Contract } from './contract.js'

/** The contract as JSON and as it was written, and a page to read and try it. */
export async function publishDocumentation(
  app: FastifyInstance,
  { document, text }: Contract,
): Promise<void> {
  await app.register(swagger, {
    mode: 'static',
    // The plugin's type knows only documents of OpenAPI 3.0.
    specification: { document: document as never },
  })
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true })
  app.get('/openapi.json', async () => app.swagger())
  app.get('/openapi.yaml', async (_request, reply) => {
    reply.type('application/yaml; charset=utf-8')
    return text
  })
}

import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Contract } from '../contract.js'
import { documentForReaders, theme } from './documentation-page.js'

/** The contract as JSON and as it was written, and a page to read and try it. */
async function publishDocumentation(
  app: FastifyInstance,
  { contract }: { contract: Contract },
): Promise<void> {
  await app.register(swagger, {
    mode: 'static',
    // The plugin's type knows only documents of OpenAPI 3.0.
    specification: { document: contract.document as never },
  })
  const page = documentForReaders(contract)
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    theme,
    uiConfig: {
      // Without the bar on top, which explores other addresses and bears the logo of a product.
      layout: 'BaseLayout',
      displayOperationId: true,
      showExtensions: true,
      filter: true,
      persistAuthorization: true,
      defaultModelsExpandDepth: 0,
    },
    transformSpecification: () => page,
    transformSpecificationClone: false,
    staticCSP: contentSecurityPolicy,
  })
  app.get('/', async (_request, reply) => reply.redirect('/docs'))
  app.get('/openapi.json', async () => app.swagger())
  app.get('/openapi.yaml', async (_request, reply) => {
    reply.type('application/yaml; charset=utf-8')
    return contract.text
  })
}

/** Its pages are in a context of their own, which has the hooks that are there by then. */
export const documentation = fp(publishDocumentation, {
  name: 'documentation',
  dependencies: ['logging', 'protocol'],
})

/** Everything from here and nothing inline. No upgrade to HTTPS: the proxy in front decides that. */
const contentSecurityPolicy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}

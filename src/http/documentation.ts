import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyReply } from 'fastify'
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
  const texts = textsOf(contract)
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
    // The plugin would write /docs/json and /docs/yaml again for each request.
    uiHooks: {
      onRequest: (request, reply, done) => {
        const text = texts.get(request.routeOptions.url ?? '')
        if (text) send(reply, text)
        else done()
      },
    },
    staticCSP: contentSecurityPolicy,
  })
  app.get('/', async (_request, reply) => reply.redirect('/docs'))
  for (const url of ['/openapi.json', '/openapi.yaml']) {
    const text = texts.get(url)
    if (text) app.get(url, async (_request, reply) => send(reply, text))
  }
}

/** Its pages are in a context of their own, which has the hooks that are there by then. */
export const documentation = fp(publishDocumentation, {
  name: 'documentation',
  dependencies: ['logging', 'protocol'],
})

interface Text {
  type: string
  bytes: Buffer
}

/** What is sent from each path. It is written once, when the service starts. */
function textsOf(contract: Contract): Map<string, Text> {
  const asWritten = {
    type: 'application/yaml; charset=utf-8',
    bytes: Buffer.from(contract.text),
  }
  return new Map([
    ['/openapi.json', json(contract.document)],
    ['/openapi.yaml', asWritten],
    ['/docs/json', json(documentForReaders(contract))],
    ['/docs/yaml', asWritten],
  ])
}

const json = (document: object): Text => ({
  type: 'application/json; charset=utf-8',
  bytes: Buffer.from(JSON.stringify(document)),
})

const send = (reply: FastifyReply, { type, bytes }: Text) => reply.type(type).send(bytes)

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

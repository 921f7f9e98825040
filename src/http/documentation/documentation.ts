import { readFileSync } from 'node:fs'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Contract } from '../../contract.js'
import { pageFile, pageOf } from './page.js'
import { PublishedText, sendText } from './published-text.js'
import { documentForReaders } from './readers-document.js'

/** Publishes the contract as JSON and YAML, and a page to read and try it. */
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
    // Replaces the plugin's own page, and its /docs/json and /docs/yaml, which it writes for each request.
    uiHooks: {
      onRequest: async (request, reply) => {
        const text = texts.get(request.routeOptions.url ?? '')
        if (text) await sendText(request, reply, text)
      },
    },
    staticCSP: contentSecurityPolicy,
  })
  const hasHome = app.hasRoute({ method: 'GET', url: '/' })
  if (!hasHome) app.get('/', async (_request, reply) => reply.redirect('/docs'))
  for (const [url, text] of texts) {
    const isKnown = app.hasRoute({ method: 'GET', url })
    if (!isKnown) app.get(url, (request, reply) => sendText(request, reply, text))
  }
}

/** The plugin's pages get only the hooks that are registered before it, hence the dependencies. */
export const documentation = fp(publishDocumentation, {
  name: 'documentation',
  dependencies: ['logging', 'protocol', 'compression'],
})

/** The texts by path. */
function textsOf(contract: Contract): Map<string, PublishedText> {
  const asWritten = new PublishedText('application/yaml; charset=utf-8', () =>
    readFileSync(new URL(import.meta.resolve('#dist/openapi.yaml'))),
  )
  const html = () => Buffer.from(pageOf(contract))
  return new Map([
    ['/openapi.json', json(() => contract.document)],
    ['/openapi.yaml', asWritten],
    ['/docs', new PublishedText('text/html; charset=utf-8', html)],
    ['/docs/json', json(() => documentForReaders(contract))],
    ['/docs/yaml', asWritten],
    ['/docs/page.css', file('page.css', 'text/css; charset=utf-8')],
    ['/docs/page.js', file('page.js', 'text/javascript; charset=utf-8')],
    ['/docs/icon.svg', file('icon.svg', 'image/svg+xml')],
  ])
}

const file = (name: string, type: string) => new PublishedText(type, () => pageFile(name))

const json = (make: () => object) =>
  new PublishedText('application/json; charset=utf-8', () => Buffer.from(JSON.stringify(make())))

/** Allows only files of this service, and nothing inline. The proxy decides about HTTPS. */
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

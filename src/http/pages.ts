import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

/** Allows only files of this service, and nothing inline. No text can become a script. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

/** Which page is at which address. Links in mails and at the log-ins lead to those of `account`. */
const pageAt = {
  '/play': 'play',
  '/lead': 'lead',
  '/accept-invitation': 'account',
  '/reset-password': 'account',
  '/forgot-password': 'account',
  '/verify-email': 'account',
}

/** Serves the pages for participants, for trainers and for passwords, and their files. */
async function servePages(app: FastifyInstance): Promise<void> {
  const folder = fileURLToPath(new URL('.', import.meta.resolve('#dist/pages/play.html')))
  // The name of each file has the hash of its content.
  await app.register(fastifyStatic, {
    root: folder,
    prefix: '/pages/',
    wildcard: false,
    globIgnore: ['*.html', '*.br', '*.gz'],
    preCompressed: true,
    immutable: true,
    maxAge: '365d',
    decorateReply: false,
  })
  app.get('/', async (_request, reply) => reply.redirect('/lead'))
  for (const [address, page] of Object.entries(pageAt)) {
    const html = readFileSync(`${folder}${page}.html`)
    app.get(address, async (_request, reply) => {
      reply.headers({
        'content-security-policy': contentSecurityPolicy,
        'cache-control': 'no-cache',
        'referrer-policy': 'no-referrer',
      })
      return reply.type('text/html; charset=utf-8').send(html)
    })
  }
}

export const pages = fp(servePages, { name: 'pages', dependencies: ['logging', 'protocol'] })

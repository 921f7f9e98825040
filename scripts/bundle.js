import { rmSync } from 'node:fs'
import { build } from 'esbuild'

const folder = 'dist/service'

/** Packages that find files of their own beside their modules. */
const external = [
  '@electric-sql/pglite',
  '@fastify/static',
  '@fastify/swagger-ui',
  'argon2',
  'fastify-openapi-glue',
  'pg',
]

/** Puts the service and its packages into few files: to load 1,300 modules takes half of a start. */
rmSync(folder, { recursive: true, force: true })
await build({
  entryPoints: ['dist/src/server.js'],
  outdir: folder,
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external,
  // Packages that are CommonJS call it for modules of Node.
  banner: {
    js: "import { createRequire as r } from 'node:module'\nconst require = r(import.meta.url)",
  },
  logLevel: 'warning',
})

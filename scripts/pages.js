import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { load } from 'js-yaml'

/** Checks the types of the pages, and bundles them with their style into a folder. */
const source = 'src/pages'
const out = 'dist/pages'
const contract = 'dist/openapi.yaml'
/** Who may call which operation: the pages offer nothing that the service would refuse. */
const rolesFile = `${source}/lead/roles.json`
const pages = { play: 'Take part', lead: 'Lead a drill', account: 'Your account' }

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())

const foldersIn = (folder) => [
  folder,
  ...readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name)),
]

/** Writes the roles of each operation, as the contract names them. */
function writeRoles() {
  const { paths } = load(readFileSync(contract, 'utf8'))
  const operations = Object.values(paths)
    .flatMap(Object.values)
    .filter(({ operationId }) => operationId)
  const roles = operations.map(({ operationId, security }) => [
    operationId,
    security.flatMap(({ bearerAuth = [] }) => bearerAuth),
  ])
  writeFileSync(rolesFile, JSON.stringify(Object.fromEntries(roles)))
}

/** Whether a file that goes into the pages is newer than the pages. */
function isOutdated() {
  const last = statSync(join(out, 'lead.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const origins = [
    ...filesIn(source).filter((file) => file !== rolesFile),
    contract,
    ...filesIn('src/client'),
    'scripts/pages.js',
    'package-lock.json',
  ]
  // A folder is as new as the last file that came or went.
  const folders = [source, 'src/client'].flatMap(foldersIn)
  return [...origins, ...folders].some((file) => statSync(file).mtimeMs >= last)
}

function checkTypes() {
  const compiler = 'node_modules/typescript/bin/tsc'
  const { status } = spawnSync(process.execPath, [compiler, '--project', source], {
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
}

/** Returns the names of the bundled files by the name of their source. */
async function bundle() {
  const { metafile } = await build({
    entryPoints: [
      ...Object.keys(pages).map((page) => `${source}/${page}/main.tsx`),
      `${source}/shared/page.css`,
    ],
    outdir: out,
    outbase: source,
    entryNames: '[dir]-[hash]',
    chunkNames: 'shared-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    sourcemap: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    metafile: true,
    logLevel: 'warning',
  })
  return new Map(
    Object.entries(metafile.outputs).flatMap(([file, { entryPoint, imports }]) => {
      if (!entryPoint) return []
      const chunks = imports.filter(({ kind }) => kind === 'import-statement')
      return [
        [entryPoint, { name: basename(file), chunks: chunks.map(({ path }) => basename(path)) }],
      ]
    }),
  )
}

function htmlOf(page, title, bundles) {
  const { name, chunks } = bundles.get(`${source}/${page}/main.tsx`)
  const style = bundles.get(`${source}/shared/page.css`).name
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/pages/${style}">
${chunks.map((chunk) => `<link rel="modulepreload" href="/pages/${chunk}">`).join('\n')}
<script type="module" src="/pages/${name}"></script>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript. Switch it on in your browser, and load the page again.</noscript>
</body>
</html>
`
}

function compress(file) {
  const bytes = readFileSync(file)
  writeFileSync(`${file}.br`, brotliCompressSync(bytes))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}

if (isOutdated()) {
  console.error('Building: the pages')
  writeRoles()
  checkTypes()
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const bundles = await bundle()
  for (const file of filesIn(out)) compress(file)
  for (const [page, title] of Object.entries(pages)) {
    writeFileSync(join(out, `${page}.html`), htmlOf(page, title, bundles))
  }
}

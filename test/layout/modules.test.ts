import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { t } from '../helpers/file.js'
import { operations } from '../helpers/walk.js'

/** Reads all modules below a folder, without packages and compiled files. */
function readModules(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/(^|\/)(node_modules|dist)\//.test(name))
    .map((name) => join(folder, name))
  return new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
}

/** Finds the relative imports of each module, including type imports. */
function findImports(modules: ReadonlyMap<string, string>): Map<string, string[]> {
  return new Map(
    [...modules].map(([file, text]) => {
      const found = text.matchAll(/(?:from |import\(|import )'(\.[^']+)\.js'/g)
      return [file, [...found].map(([, path = '']) => moduleAt(join(dirname(file), path)))]
    }),
  )
}

const moduleAt = (path: string) => (existsSync(`${path}.tsx`) ? `${path}.tsx` : `${path}.ts`)

const arrowsOf = (imports: ReadonlyMap<string, string[]>) =>
  [...imports].flatMap(([from, all]) => all.map((to) => ({ from, to })))

const textOf = readModules('src')
const files = [...textOf.keys()]
const importsOf = findImports(textOf)
const arrows = arrowsOf(importsOf)

/** Returns the folder of a module in `src`, or the name of a module in the root. */
const roomOf = (file: string) => file.split('/')[1]?.replace(/\.ts$/, '') ?? ''
const tags = new Set(operations.map(({ tag }) => tag))

/** Returns the modules in import cycles. */
function cyclesIn(imports: ReadonlyMap<string, string[]>): string[] {
  const done = new Set<string>()
  function cycleFrom(one: string, path: string[]): string[] | undefined {
    if (path.includes(one)) return [...path.slice(path.indexOf(one)), one]
    if (done.has(one)) return undefined
    for (const next of imports.get(one) ?? []) {
      const cycle = cycleFrom(next, [...path, one])
      if (cycle) return cycle
    }
    done.add(one)
    return undefined
  }
  return [...imports.keys()].flatMap((one) => cycleFrom(one, []) ?? [])
}

t.test('No module is in an import cycle, type imports included', async (t) => {
  t.strictSame(cyclesIn(importsOf), [])
})

/** Returns the imports inside a folder, between its modules and its subfolders as wholes. */
function importsInside(folder: string, within = arrows): Map<string, string[]> {
  const childOf = (file: string) =>
    file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split('/')[0] : undefined
  const inside = new Map<string, string[]>()
  for (const { from, to } of within) {
    const [one, other] = [childOf(from), childOf(to)]
    if (one && other && one !== other) inside.set(one, [...(inside.get(one) ?? []), other])
  }
  return inside
}

t.test('No folder is in an import cycle with the folders and modules next to it', async (t) => {
  const folders = new Set(files.map((file) => dirname(file)))
  for (const folder of folders) t.strictSame(cyclesIn(importsInside(folder)), [], folder)
})

t.test('No module or folder of scripts is in an import cycle', async (t) => {
  const imports = findImports(readModules('scripts'))
  t.strictSame(cyclesIn(imports), [])
  const folders = new Set([...imports.keys()].map((file) => dirname(file)))
  for (const folder of folders) {
    t.strictSame(cyclesIn(importsInside(folder, arrowsOf(imports))), [], folder)
  }
})

/** The rooms (folders of `src`) from top to bottom. Rooms on one floor do not import each other. */
const floors = [
  ['server'],
  ['app'],
  ['operations', 'http'],
  [...tags],
  ['identity', 'mail', 'thrown-errors'],
  ['database'],
  ['updates', 'formats', 'turns', 'ignored-fields', 'readiness'],
  ['faults'],
  ['errors', 'process'],
  ['contract', 'limits', 'pages'],
  ['contract-types', 'client'],
]
const floorOf = (file: string) => floors.findIndex((rooms) => rooms.includes(roomOf(file)))

t.test('A room imports only rooms on lower floors', async (t) => {
  t.strictSame(
    files.filter((file) => floorOf(file) === -1),
    [],
    'every module is on a floor',
  )
  for (const { from, to } of arrows.filter(({ from, to }) => roomOf(from) !== roomOf(to))) {
    const areBothTags = tags.has(roomOf(from)) && tags.has(roomOf(to))
    const isDown = floorOf(from) < floorOf(to) || areBothTags
    t.ok(isDown, `${from} imports ${to}`)
  }
})

t.test('http and the tags do not import each other', async (t) => {
  const wrongImports = arrows.filter(
    ({ from, to }) =>
      (roomOf(to) === 'http' && !['http', 'app'].includes(roomOf(from))) ||
      (roomOf(from) === 'http' && tags.has(roomOf(to))),
  )
  t.strictSame(wrongImports, [], 'only app.ts imports http')
})

/** Returns the packages that the modules of a room import. */
function packagesOf(room: string): string[] {
  const texts = files.filter((file) => roomOf(file) === room).map((file) => textOf.get(file) ?? '')
  const found = texts.flatMap((text) => [
    ...text.matchAll(/(?:from |import\(|import )'([^.'][^']*)'/g),
  ])
  return [...new Set(found.map(([, name = '']) => name))].sort()
}

t.test('The code for browsers is separate: the client, and the pages that use it', async (t) => {
  t.strictSame(packagesOf('client'), ['openapi-fetch'])
  t.strictSame(packagesOf('pages'), ['@preact/signals', 'preact', 'preact/hooks'])
  const usersOf = (room: string) =>
    arrows.filter(({ from, to }) => roomOf(to) === room && roomOf(from) !== room)
  t.ok(usersOf('client').every(({ from }) => roomOf(from) === 'pages'))
  t.strictSame(usersOf('pages'), [])
  const ofPages = arrows.filter(({ from }) => roomOf(from) === 'pages')
  t.ok(ofPages.every(({ to }) => ['pages', 'client'].includes(roomOf(to))))
})

t.test('The pages share only modules in the folder shared', async (t) => {
  const pageOf = (file: string) => /^src\/pages\/(\w+)\//.exec(file)?.[1]
  for (const { from, to } of arrows.filter(({ from, to }) => pageOf(from) !== pageOf(to))) {
    t.ok(!pageOf(to) || pageOf(to) === 'shared', `${from} imports ${to}`)
  }
})

/** The only folder that inserts and deletes the rows of a table. */
const owners: Record<string, string> = {
  organizations: 'organizations',
  brandings: 'organizations',
  organization_limits: 'usage',
  consent_texts: 'consent-texts',
  users: 'users',
  email_registry: 'users',
  attempts: 'identity',
  credentials: 'identity',
  login_sessions: 'identity',
  refresh_tokens: 'identity',
  password_resets: 'identity',
  email_verifications: 'identity',
  ended_links: 'identity',
  invitations: 'invitations',
  api_keys: 'api-keys',
  audit_events: 'audit-events',
  unsealed_events: 'audit-events',
  audit_seals: 'audit-events',
  audit_retentions: 'audit-events',
  blueprint_setups: 'blueprints',
  quick_setups: 'blueprints',
  characters: 'blueprints',
  channel_templates: 'channel-templates',
  experiments: 'experiments',
  simulation_sessions: 'simulation-sessions',
  session_plan: 'simulation-sessions',
  session_decisions: 'simulation-sessions',
  session_messages: 'simulation-sessions',
  session_assignments: 'simulation-sessions',
  seat_links: 'session-seats',
  stream_presence: 'session-messages',
  stream_processes: 'session-messages',
  session_ratings: 'session-ratings',
  trainer_messages: 'trainer-messages',
  own_ratings: 'session-ratings',
  session_notes: 'session-notes',
}

t.test('Every table has one owner', async (t) => {
  const tables = textOf.get('src/database/schema.ts')?.matchAll(/^ {2}(\w+): \w+Table$/gm) ?? []
  t.strictSame([...tables].map(([, table]) => table).sort(), Object.keys(owners).sort())
  for (const [file, text] of textOf) {
    const writes = text.matchAll(
      /(?:insertInto\(|deleteFrom\(|insert into|delete from|truncate\b)\s*'?([\w$.(]*)/g,
    )
    for (const [, table = ''] of writes) {
      // It writes either of its two tables.
      if (file === 'src/identity/links/newest-links.ts' && table === 'kind') continue
      t.equal(roomOf(file), owners[table], `${file} writes ${table}`)
    }
  }
})

const tests = [...readModules('test')].filter(([file]) => file.endsWith('.test.ts'))

t.test('Every test file can run with others in one process', async (t) => {
  for (const [file, text] of tests) {
    t.match(text, /^import \{ t \} from '[./]+\/helpers\/file.js'$/m, file)
    t.notMatch(text, /^import (?!type ).*'tap'/m, file)
  }
})

t.test('Every test is in the folder of what it tests', async (t) => {
  const walks = ['contract', 'documents', 'layout', 'migrations', 'scripts', 'tenancy']
  const folders = new Set(tests.map(([file]) => dirname(file).replace(/^test\b\/?/, '')))
  for (const folder of folders) {
    t.ok(walks.includes(folder) || (folder && existsSync(join('src', folder))), folder)
  }
})

t.test('A module in the root is wiring, or at least two rooms import it', async (t) => {
  const wiring = ['server', 'app', 'operations', 'contract-types']
  for (const file of files.filter((one) => dirname(one) === 'src')) {
    const users = arrows.filter(({ to }) => to === file).map(({ from }) => roomOf(from))
    t.ok(wiring.includes(roomOf(file)) || new Set(users).size > 1, file)
  }
})

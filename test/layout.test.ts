import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { t } from './helpers/file.js'
import { operations } from './helpers/walk.js'

/** Reads all modules below a folder, without packages and compiled files. */
function readModules(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/(^|\/)(node_modules|dist)\//.test(name))
    .map((name) => join(folder, name))
  return new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
}

/** Finds the relative imports of each module, types as well. */
function findImports(modules: ReadonlyMap<string, string>): Map<string, string[]> {
  return new Map(
    [...modules].map(([file, text]) => {
      const found = text.matchAll(/(?:from |import\(|import )'(\.[^']+)\.js'/g)
      return [file, [...found].map(([, path = '']) => `${join(dirname(file), path)}.ts`)]
    }),
  )
}

const arrowsOf = (imports: ReadonlyMap<string, string[]>) =>
  [...imports].flatMap(([from, all]) => all.map((to) => ({ from, to })))

const textOf = readModules('src')
const files = [...textOf.keys()]
const importsOf = findImports(textOf)
const arrows = arrowsOf(importsOf)

/** The folder of a module in `src`, or the module itself where it lies in the root. */
const roomOf = (file: string) => file.split('/')[1]?.replace(/\.ts$/, '') ?? ''
const tags = new Set(operations.map(({ tag }) => tag))

/** Those who import themselves, over whatever others. */
function circlesIn(imports: ReadonlyMap<string, string[]>): string[] {
  const done = new Set<string>()
  function circleFrom(one: string, path: string[]): string[] | undefined {
    if (path.includes(one)) return [...path.slice(path.indexOf(one)), one]
    if (done.has(one)) return undefined
    for (const next of imports.get(one) ?? []) {
      const circle = circleFrom(next, [...path, one])
      if (circle) return circle
    }
    done.add(one)
    return undefined
  }
  return [...imports.keys()].flatMap((one) => circleFrom(one, []) ?? [])
}

t.test('No module imports itself, over whatever others, also not through types', async (t) => {
  t.strictSame(circlesIn(importsOf), [])
})

/** What lies in a folder: its modules, and its rooms as one each. */
function insideOf(folder: string, within = arrows): Map<string, string[]> {
  const childOf = (file: string) =>
    file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split('/')[0] : undefined
  const inside = new Map<string, string[]>()
  for (const { from, to } of within) {
    const [one, other] = [childOf(from), childOf(to)]
    if (one && other && one !== other) inside.set(one, [...(inside.get(one) ?? []), other])
  }
  return inside
}

t.test('No room does either, nor a room or module inside a room', async (t) => {
  const folders = new Set(files.map((file) => dirname(file)))
  for (const folder of folders) t.strictSame(circlesIn(insideOf(folder)), [], folder)
})

t.test('The same holds for scripts and for the benchmark', async (t) => {
  const imports = findImports(readModules('scripts'))
  t.strictSame(circlesIn(imports), [])
  const folders = new Set([...imports.keys()].map((file) => dirname(file)))
  for (const folder of folders) {
    t.strictSame(circlesIn(insideOf(folder, arrowsOf(imports))), [], folder)
  }
})

/** From the top of the house down; who stands beside somebody does not look at them. */
const floors = [
  ['server'],
  ['app'],
  ['operations', 'http'],
  [...tags],
  ['identity', 'mail'],
  ['database'],
  ['updates', 'failures', 'formats', 'turns', 'ignored-fields', 'readiness'],
  ['faults'],
  ['errors', 'process'],
  ['contract'],
  ['contract-types'],
]
const floorOf = (file: string) => floors.findIndex((rooms) => rooms.includes(roomOf(file)))

t.test('Imports run one way: down', async (t) => {
  t.strictSame(
    files.filter((file) => floorOf(file) === -1),
    [],
    'every module is on a floor',
  )
  for (const { from, to } of arrows.filter(({ from, to }) => roomOf(from) !== roomOf(to))) {
    const mayLookBeside = tags.has(roomOf(from)) && tags.has(roomOf(to))
    const isDown = floorOf(from) < floorOf(to) || mayLookBeside
    t.ok(isDown, `${from} imports ${to}`)
  }
})

t.test('http and the tags know nothing of each other', async (t) => {
  const strangers = arrows.filter(
    ({ from, to }) =>
      (roomOf(to) === 'http' && !['http', 'app'].includes(roomOf(from))) ||
      (roomOf(from) === 'http' && tags.has(roomOf(to))),
  )
  t.strictSame(strangers, [], 'only app.ts imports http')
})

/** Rows are inserted and deleted in one folder only. */
const owners: Record<string, string> = {
  organizations: 'organizations',
  brandings: 'organizations',
  organization_limits: 'usage',
  users: 'users',
  email_registry: 'users',
  attempts: 'identity',
  credentials: 'identity',
  login_sessions: 'identity',
  refresh_tokens: 'identity',
  password_resets: 'identity',
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
  session_messages: 'simulation-sessions',
  session_assignments: 'simulation-sessions',
  session_ratings: 'session-ratings',
}

t.test('Every table has one owner', async (t) => {
  const tables = textOf.get('src/database/schema.ts')?.matchAll(/^ {2}(\w+): \w+Table$/gm) ?? []
  t.strictSame([...tables].map(([, table]) => table).sort(), Object.keys(owners).sort())
  for (const [file, text] of textOf) {
    const writes = text.matchAll(
      /(?:insertInto\(|deleteFrom\(|insert into|delete from|truncate\b)\s*'?([\w$.(]*)/g,
    )
    for (const [, table = ''] of writes) {
      t.equal(roomOf(file), owners[table], `${file} writes ${table}`)
    }
  }
})

t.test('Every test file can run with others in one process', async (t) => {
  for (const name of readdirSync('test').filter((one) => one.endsWith('.test.ts'))) {
    const text = readFileSync(join('test', name), 'utf8')
    t.match(text, "import { t } from './helpers/file.js'", name)
    t.notMatch(text, /^import (?!type ).*'tap'/m, name)
  }
})

t.test('A module in the root is wiring, or two rooms need it', async (t) => {
  const wiring = ['server', 'app', 'operations', 'contract-types']
  for (const file of files.filter((one) => dirname(one) === 'src')) {
    const users = arrows.filter(({ to }) => to === file).map(({ from }) => roomOf(from))
    t.ok(wiring.includes(roomOf(file)) || new Set(users).size > 1, file)
  }
})

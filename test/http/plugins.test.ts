import { readdirSync } from 'node:fs'
import Fastify, { type FastifyPluginAsync } from 'fastify'
import fp, { type PluginMetadata } from 'fastify-plugin'
import { t } from '../helpers/file.js'

const files = [
  'validation/requests',
  '../usage/enforcement',
  ...readdirSync('src/http').flatMap(moduleName),
  ...readdirSync('src/http/arrival').flatMap((file) => moduleName(`arrival/${file}`)),
]
const plugins = (await Promise.all(files.map(pluginOf))).flat()

function moduleName(file: string): string[] {
  return file.endsWith('.ts') ? [file.slice(0, -3)] : []
}

/** The plugin that a module registers, if any, with its declared name. */
async function pluginOf(file: string) {
  const exports: Record<string, unknown> = await import(`../../src/http/${file}.js`)
  return Object.values(exports).flatMap((value) => {
    const metadata = typeof value === 'function' && Reflect.get(value, Symbol.for('plugin-meta'))
    if (!metadata) return []
    const { name = '', dependencies = [], decorators }: PluginMetadata = metadata
    const plugin = value as FastifyPluginAsync
    return [{ file, plugin, name, dependencies, decorators: decorators?.fastify ?? [] }]
  })
}

t.test('Every plugin between the socket and a handler has the name of its file', async (t) => {
  for (const { file, name } of plugins) {
    t.ok(file.startsWith(name) || file.endsWith(`/${name}`), `${file} is ${name}`)
  }
  const names = plugins.map(({ name }) => name)
  t.equal(new Set(names).size, plugins.length)
  for (const { dependencies } of plugins) for (const one of dependencies) t.ok(names.includes(one))
})

t.test('The service does not start', async (t) => {
  for (const { plugin, name, dependencies, decorators } of plugins) {
    for (const missing of dependencies) {
      t.test(`when ${name} comes before ${missing}`, async (t) => {
        const app = Fastify()
        for (const decorator of decorators) app.decorate(decorator, null)
        const others = dependencies.filter((one) => one !== missing)
        for (const other of others) app.register(fp(async () => {}, { name: other }))
        const refusal = `The dependency '${missing}' of plugin '${name}' is not registered`
        await t.rejects(async () => app.register(plugin), { message: refusal })
      })
    }

    for (const missing of decorators) {
      t.test(`when ${name} comes before ${String(missing)} exists`, async (t) => {
        const app = Fastify()
        for (const other of decorators) if (other !== missing) app.decorate(other, null)
        await t.rejects(async () => app.register(plugin), {
          code: 'FST_ERR_PLUGIN_NOT_PRESENT_IN_INSTANCE',
        })
      })
    }
  }
})

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '../../src/client/client.js'
import { t } from '../helpers/file.js'
import { node } from '../helpers/node.js'
import { placeWithDatabase, start, stopEverything } from '../helpers/process.js'

t.teardown(stopEverything)
const seed = [...node, fileURLToPath(new URL('../../scripts/seed.js', import.meta.url))]
const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@b.example', APP_URL: 'http://app' }
const login = /^ {2}(\w+) +(\S+@\S+) +(\S+)$/gm

t.test('npm run seed', async (t) => {
  const place = await placeWithDatabase(t, { isMigrated: true })
  const first = await start({ ...place, ...mail, REGISTRATION: 'off' }, seed).exit
  const second = await start({ ...place, PORT: '4000' }, seed).exit
  t.match([first, second], [{ code: 0 }, { code: 0 }], 'also with a mail server, and twice')
  t.notMatch(first.output, /^\{/m, 'prints no log')
  const baseUrl = await start(place).address()

  async function logIn([, role, email = '', password = '']: RegExpMatchArray) {
    const client = createClient({ baseUrl })
    const body = { email, password }
    client.setTokens((await client.api.POST('/api/v1/auth/login', { body })).data)
    const me = await client.api.GET('/api/v1/auth/me')
    t.equal(me.data.user.role, role)
    return { role, client, name: me.data.organization?.name ?? '' }
  }

  t.test('prints a login for each role, and a key of a character', async (t) => {
    const people = await Promise.all([...first.output.matchAll(login)].map(logIn))
    t.strictSame(
      people.map(({ role }) => role),
      ['admin', 'hr', 'executive', 'employee', 'employee'],
    )
    const [, apiKey = ''] = /API key of .+: +(\S+)/.exec(first.output) ?? []
    const [, session_id = ''] = /id of the session is (\S+)/.exec(first.output) ?? []
    const bot = createClient({ baseUrl, apiKey })
    const path = '/api/v1/simulation/sessions/{session_id}/messages'
    const { data } = await bot.api.GET(path, { params: { path: { session_id } } })
    t.ok(data.length > 0, 'the drill has begun')
  })

  t.test('makes a running session in which the employees take part', async (t) => {
    const people = await Promise.all([...first.output.matchAll(login)].map(logIn))
    const query = { participant: 'me' } as const
    for (const { client } of people.filter(({ role }) => role === 'employee')) {
      const sessions = await client.api.GET('/api/v1/simulation/sessions', { params: { query } })
      t.match(sessions.data, [{ name: 'Monday', status: 'running' }])
      const path = '/api/v1/simulation/sessions/{session_id}/briefing'
      const at = { path: { session_id: sessions.data[0]?._id ?? '' } }
      const briefing = await client.api.GET(path, { params: at })
      t.match(briefing.data, { joined: true, role: { title: String } })
    }
  })

  t.test('makes another organization the second time', async (t) => {
    const [before] = await Promise.all([...first.output.matchAll(login)].slice(0, 1).map(logIn))
    const [after] = await Promise.all([...second.output.matchAll(login)].slice(0, 1).map(logIn))
    t.not(before?.name, after?.name)
    t.match(second.output, 'http://127.0.0.1:4000/lead')
    t.match(second.output, 'http://127.0.0.1:4000/play')
  })
})

t.test('npm run seed refuses production, and touches nothing', async (t) => {
  for (const NODE_ENV of ['production', 'prod', 'Development']) {
    const DATA_DIR = join(t.testdir(), 'data')
    const { code, output } = await start({ NODE_ENV, DATA_DIR }, seed).exit
    t.equal(code, 1)
    t.equal(
      output,
      `Nothing was made: NODE_ENV=${NODE_ENV} counts as production. Unset it for a trial.\n`,
    )
    t.notOk(existsSync(DATA_DIR))
  }
})

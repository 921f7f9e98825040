import { spawn } from 'node:child_process'
import { text as textOf } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Kysely } from 'kysely'
import { createSuperAdmin } from '../../src/auth/super-admin.js'
import type { OperationId } from '../../src/contract.js'
import { openDatabase } from '../../src/database/open.js'
import type { Database } from '../../src/database/schema.js'
import { createPasswords } from '../../src/identity/password.js'
import { createDatabase } from '../helpers/database.js'
import { copyDatabase } from '../helpers/embedded-template.js'
import { t } from '../helpers/file.js'
import { nodeOptions } from '../helpers/node.js'
import { auditEvents, startService } from '../helpers/service.js'

const { call, db, registerAdmin } = await startService(t, {}, { isAlone: true })
const password = 'correct horse battery staple'
const passwords = await createPasswords()
const make = (email: string, secret = password) =>
  createSuperAdmin(db, passwords, { email, password: secret })
const login = async (email: string) => (await call('login', { body: { email, password } })).body
const someEmail = () => `${crypto.randomUUID()}@operators.example`

/** Runs the script with only this environment, and these answers to its questions. */
async function run(environment: Record<string, string>, answers = '') {
  const script = fileURLToPath(new URL('../../scripts/create-super-admin.js', import.meta.url))
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [...nodeOptions, script], { env: { PATH, ...environment } })
  child.stdin.end(answers)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)])
  return { code: await ended, stdout, stderr }
}

t.test('A super administrator', async (t) => {
  const email = ` Root.${crypto.randomUUID()}@Operators.Example `
  const made = await make(email)
  const { access_token: token, organization_id: home } = await login(email)

  t.test('logs in with the given e-mail address and password', async (t) => {
    const { body } = await call('getCurrentUser', { token })
    t.match(body.user, { _id: made._id, email: email.trim(), role: 'super_admin', is_bot: false })
    t.match(body.organization, { _id: home, name: 'Operators' })
    t.match(made.username, /^root\./)
  })

  t.test('is recorded in an audit event of the system, without the password', async (t) => {
    const query = { event_type: 'super_admin_created' }
    const params = { organization_id: home }
    const { body } = await call('listAuditEvents', { token, params, query })
    const metadata = { user_id: made._id }
    t.match(body, [{ category: 'auth', actor_type: 'system', actor_id: null, metadata }])
    t.notMatch(JSON.stringify(body), /horse|argon2/)
  })

  t.test('shares one organization with the others, and has a different username', async (t) => {
    const [name] = email.trim().split('@')
    const other = await make(`${name}@elsewhere.example`)
    t.equal(other.organization_id, home)
    t.not(other.username, made.username)
  })

  for (const [given, secret, reason] of [
    ['no address', password, /x@y/],
    [`${'x'.repeat(250)}@y.zz`, password, /254/],
    ['ada@x.example', '1234567', /8 to 128/],
    ['ada@x.example', 'x'.repeat(129), /8 to 128/],
    [email.toUpperCase(), password, /already exists/],
  ] as const) {
    t.test(`is not created from "${given.trim().slice(0, 9)}": ${reason.source}`, async (t) => {
      const users = () => db.selectFrom('users').select('_id').execute()
      const before = await users()
      await t.rejects(make(given, secret), { message: reason })
      t.strictSame(await users(), before)
    })
  }

  t.test('acts on any organization, and each act is recorded there as cross-tenant', async (t) => {
    const admin = await registerAdmin()
    const { organization_id, user_id } = admin
    const params = { organization_id }
    const acts: string[] = []
    async function act(operationId: OperationId, options: object) {
      const answer = await call(operationId, { token, ...options })
      t.ok(answer.status < 300, `${operationId} ${answer.status}`)
      acts.push(operationId)
      return answer.body
    }
    const person = { first_name: 'Tomás', last_name: 'Herrera' }
    const invite = async (fields: object) =>
      (await act('inviteMember', { params, body: { ...person, email: someEmail(), ...fields } }))
        .user._id
    const bot = await invite({ access_level: 'bot' })
    const guest = { organization_id, user_id: await invite({}) }
    const invitations = [{ ...person, email: someEmail() }]
    await act('inviteMembers', { params, body: { invitations } })
    await act('resendInvitation', { params: guest })
    await act('revokeInvitation', { params: guest })
    await act('updateUser', { params: { user_id }, body: { bio: 'Seen by an operator.' } })
    const key = await act('createApiKey', { params: { user_id: bot }, body: { name: 'runtime' } })
    await act('revokeApiKey', { params: { user_id: bot, api_key_id: key._id } })
    await act('updateOrganization', { params, body: { name: 'Acme again' } })
    await act('updateBranding', { params, body: { primary_color: '#123456' } })
    const { experiment_id } = await act('applyQuickSetup', { body: { organization_id } })
    await act('updateExperiment', { params: { experiment_id }, body: { name: 'Another' } })

    const events = await auditEvents(call, admin)
    const [theirs, own] = [
      events.filter(({ actor_id }) => actor_id === made._id),
      events.filter(({ actor_id }) => actor_id !== made._id),
    ]
    t.ok(theirs.length >= acts.length, `${theirs.length} events of ${acts.length} acts`)
    for (const { event_type, metadata } of theirs) {
      t.equal(metadata?.cross_tenant, true, event_type)
    }
    for (const { metadata } of own) t.notOk(metadata && 'cross_tenant' in metadata)
    t.equal(own.length, 2, 'the registration')
  })

  t.test('reads every organization without a record', async (t) => {
    const admin = await registerAdmin()
    const params = { organization_id: admin.organization_id }
    for (const id of ['getOrganization', 'getBranding', 'listAuditEvents'] as const) {
      t.equal((await call(id, { token, params })).status, 200)
    }
    const { status } = await call('getUser', { token, params: { user_id: admin.user_id } })
    t.equal(status, 200)
    t.equal((await auditEvents(call, admin)).length, 2)
  })

  t.test('is not marked as cross-tenant in their own organization', async (t) => {
    const params = { organization_id: home }
    await call('updateBranding', { token, params, body: { primary_color: '#fff' } })
    const { body } = await call('listAuditEvents', { token, params, query: { limit: '1' } })
    t.match(body, [{ event_type: 'branding_updated', actor_id: made._id }])
    t.notOk('cross_tenant' in body[0].metadata)
  })
})

t.test('npm run create-super-admin', async (t) => {
  const { databaseUrl, drop, db: emptied } = await createDatabase()
  t.teardown(async () => {
    await emptied.destroy()
    await drop()
  })
  const dataDir = t.testdir()
  await copyDatabase(dataDir, { isMigrated: false })
  const embedded = { databaseUrl: null, dataDir, databasePoolMax: 1 }
  /** Every available kind of database, empty: the script migrates it. */
  const databases: Record<string, Record<string, string>> = {
    'the embedded database': { DATA_DIR: dataDir },
    ...(databaseUrl && { PostgreSQL: { DATABASE_URL: databaseUrl } }),
  }
  const superAdmins = (db: Kysely<Database>) =>
    db.selectFrom('users').select('email').where('role', '=', 'super_admin').execute()

  for (const [name, environment] of Object.entries(databases)) {
    const stored = async () => {
      if (databaseUrl && 'DATABASE_URL' in environment) return superAdmins(emptied)
      const opened = await openDatabase(embedded, () => {})
      const emails = await superAdmins(opened)
      await opened.destroy()
      return emails
    }

    t.test(`reads the environment and works on ${name}`, async (t) => {
      const account = { SUPER_ADMIN_EMAIL: 'one@x.example', SUPER_ADMIN_PASSWORD: password }
      const { code, stdout, stderr } = await run({ ...environment, ...account })
      t.strictSame([code, stderr], [0, ''])
      t.equal(stdout, 'Created the super administrator one (one@x.example).\n')
      t.strictSame(await stored(), [{ email: 'one@x.example' }])

      const again = await run({ ...environment, ...account })
      t.strictSame([again.code, again.stdout], [1, ''])
      t.equal(again.stderr, 'An account with this e-mail already exists.\n')
    })

    t.test(`asks for values that the environment lacks on ${name}`, async (t) => {
      const { code, stdout, stderr } = await run(environment, `two@x.example\n${password}\n`)
      t.strictSame([code, stderr], [0, ''])
      t.notMatch(stdout, password)
      t.strictSame((await stored()).map(({ email }) => email).sort(), [
        'one@x.example',
        'two@x.example',
      ])
    })
  }

  t.test('reports why it creates no account when an answer is invalid or missing', async (t) => {
    for (const [answers, reason] of [
      ['', 'Nothing was answered.\n'],
      ['three@x.example\n', 'Nothing was answered.\n'],
      ['three@x.example\nshort\n', /8 to 128 characters/],
    ] as const) {
      const { code, stdout, stderr } = await run({ DATA_DIR: dataDir }, answers)
      t.strictSame([code, stdout], [1, ''])
      t.match(stderr, reason)
    }
  })

  t.test('refuses a database that a running service holds', async (t) => {
    const opened = await openDatabase(embedded, () => {})
    const account = { SUPER_ADMIN_EMAIL: 'four@x.example', SUPER_ADMIN_PASSWORD: password }
    const { code, stderr } = await run({ DATA_DIR: dataDir, ...account })
    await opened.destroy()
    t.equal(code, 1)
    t.match(stderr, /in use|another process|process \d+/i)
  })
})

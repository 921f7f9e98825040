import { randomUUID } from 'node:crypto'
import argon2 from 'argon2'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const { call, db, registerAdmin } = await startService(t)
const limited = await startService(t, { RATE_LIMIT: 'on' })
const admin = await registerAdmin()
const password = 'correct horse battery staple'
const names = { organization_name: 'Acme', first_name: 'Ada', last_name: 'Okafor' }
const someone = () => `jürgen.${randomUUID()}@example.com`
const register = (email: string, secret = password) =>
  call('register', { body: { email, password: secret, ...names } })
const login = (email: string, secret = password) =>
  call('login', { body: { email, password: secret } })
const { token, organization_id } = admin
const params = { organization_id }
const person = (email: string) => ({ first_name: 'Mei', last_name: 'Tan', email })
const invite = (email: string) => call('inviteMember', { token, params, body: person(email) })

/** Forms in which the same address is typed or pasted. */
const forms: Record<string, (email: string) => string> = {
  'in NFD': (email) => email.normalize('NFD'),
  'in capitals': (email) => ` ${email.toUpperCase()}\n`,
  'after mailto:': (email) => `mailto:${email}`,
  'in brackets': (email) => `<${email}>`,
  'in brackets, after mailto:': (email) => `<mailto:${email}> ;`,
  'before a semicolon': (email) => `${email};`,
  'before a comma': (email) => `${email}, `,
  'with a zero width space': (email) => `\u200b${email.replace('@', '\u200b@')}`,
  'with a word joiner': (email) => `${email}\u2060`,
  'with a soft hyphen': (email) => email.replace('.', '.\u00ad'),
  'with a mark of direction': (email) => `\u200f${email}`,
  'with a domain in wide letters': (email) => email.replace('example', 'ｅxample'),
}

t.test('An address is one account, in every form', async (t) => {
  for (const [name, formed] of Object.entries(forms)) {
    t.test(name, async (t) => {
      const email = someone()
      const { status, body } = await register(formed(email))
      t.equal(status, 201)
      const { body: current } = await call('getCurrentUser', { token: body.access_token })
      t.equal(current.user.email.toLowerCase().normalize('NFKC'), email)
      t.match(await register(email), { status: 409, body: { code: 'email_exists' } })
      t.match(await invite(formed(email)), { status: 409, body: { code: 'email_exists' } })
      for (const typed of [email, ...Object.values(forms).map((form) => form(email))]) {
        t.equal((await login(typed)).status, 200, JSON.stringify(typed))
      }
    })
  }
})

t.test('Invitations store the address without what was pasted around it', async (t) => {
  const [one, two] = [someone(), someone()]
  const { body } = await invite(`mailto:${one};`)
  t.equal(body.user.email, one)
  const invitations = [person(`<${two}>`), person(two.normalize('NFD'))]
  const list = await call('inviteMembers', { token, params, body: { invitations } })
  // Either row may be the first one.
  const rows: { invitation: { user: object } | null; error: object | null }[] = list.body.results
  t.match(rows.find(({ invitation }) => invitation)?.invitation?.user, { email: two })
  t.match(rows.find(({ error }) => error)?.error, { code: 'email_exists' })
})

t.test('What is not plainly one address is refused at its place', async (t) => {
  const [one, two] = [someone(), someone()]
  const msg = 'value is not a valid email address'
  for (const email of [
    `${one};${two}`,
    `${one}, Mei`,
    `Mei Tan <${one}>`,
    `mailto:mailto:${one}`,
    `smtp:${one}`,
    `${one}\u200d`,
    `a\u0007${one}`,
    '<@>',
    'mailto:',
    `"${one}"`,
    `(Mei)${one}`,
    `${one}(Mei)`,
    one.replace('@', '\\@'),
    `${one.replace('@', '@[')}]`,
  ]) {
    const detail = [{ loc: ['body', 'email'], msg, type: 'value_error' }]
    const name = JSON.stringify(email)
    t.match(await register(email), { status: 422, body: { detail } }, name)
    t.match(await invite(email), { status: 422, body: { detail } }, name)
  }
})

t.test('Wrong passwords count for an address in all its forms', async (t) => {
  const email = someone()
  const tried = Object.values(forms).map((form) => form(email))
  const statuses = []
  for (const typed of tried) {
    const body = { email: typed, password: 'wrong' }
    statuses.push((await limited.call('login', { body })).status)
  }
  t.equal(statuses.filter((status) => status === 401).length, 10)
  t.equal(statuses.at(-1), 429)
})

t.test('A password is the same in NFC and NFD', async (t) => {
  const secret = 'Zwölf Boxkämpfer'
  const email = someone()
  const { body } = await register(email, secret.normalize('NFD'))
  for (const form of ['NFC', 'NFD']) {
    t.equal((await login(email, secret.normalize(form))).status, 200, form)
  }
  const change = {
    current_password: secret.normalize('NFC'),
    new_password: secret.normalize('NFD'),
  }
  const changed = await call('changePassword', { token: body.access_token, body: change })
  t.match(changed, { status: 422, body: { detail: [{ type: 'same_password' }] } })
})

t.test('What earlier versions have stored', async (t) => {
  /** Stores the address of an account as it was typed. */
  const storeAs = (user_id: string, email: string) =>
    db.updateTable('email_registry').set({ email }).where('user_id', '=', user_id).execute()

  t.test('works as before: an address that another account has in its normal form', async (t) => {
    const email = someone()
    const { body: old } = await register(someone())
    await storeAs(old.user_id, email.normalize('NFD'))
    const { body: other } = await register(email)
    t.equal((await login(email.normalize('NFD'))).body.user_id, old.user_id)
    t.equal((await login(email)).body.user_id, other.user_id)
    t.equal((await login(`mailto:${email}`)).body.user_id, other.user_id)
  })

  t.test('works as before: a password that was hashed in NFD', async (t) => {
    const secret = 'Zwölf Boxkämpfer'.normalize('NFD')
    const email = someone()
    const { body } = await register(email)
    await db
      .updateTable('credentials')
      .set({ password_hash: await argon2.hash(secret) })
      .where('user_id', '=', body.user_id)
      .execute()
    t.equal((await login(email, secret)).status, 200)
    t.equal((await login(email, 'wrong')).status, 401)
  })
})

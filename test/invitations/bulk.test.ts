import { randomUUID } from 'node:crypto'
import type { Schema } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { startMailbox } from '../helpers/mailbox.js'
import { auditEvents, startService } from '../helpers/service.js'

const mailbox = await startMailbox(t)
const environment = { MAIL_FROM: 'mail@acme.example', APP_URL: 'https://app.example' }
const service = await startService(t, { SMTP_URL: mailbox.url, ...environment })
const { app, call, registerAdmin, addMember } = service
const admin = await registerAdmin()
const { token, organization_id } = admin
const params = { organization_id }
type Row = Schema<'BulkInvitationRow'>

const person = (fields: Record<string, unknown> = {}) => ({
  first_name: 'Tomás',
  last_name: 'Herrera',
  email: `${randomUUID()}@example.com`,
  ...fields,
})
const send = (invitations: unknown, as = { token }) =>
  call('inviteMembers', { token: as.token, params, body: { invitations } })
async function invite(invitations: unknown, as = { token }): Promise<Row[]> {
  const { status, headers, body } = await send(invitations, as)
  t.equal(status, 200)
  t.equal(headers.get('cache-control'), 'no-store')
  return body.results
}
const emailsOf = (rows: Row[]) => rows.map(({ invitation }) => invitation?.user.email)
const listEmails = async () =>
  (await call('listUsers', { token })).body.map(({ email }: { email: string }) => email)

t.test('inviteMembers', async (t) => {
  t.test('invites all people and answers in the order of the request', async (t) => {
    const people = Array.from({ length: 20 }, () => person({ access_level: 'lead' }))
    const rows = await invite(people)
    t.strictSame(
      rows.map(({ row, status, error }) => ({ row, status, error })),
      people.map((_, row) => ({ row, status: 'invited', error: null })),
    )
    t.strictSame(
      emailsOf(rows),
      people.map(({ email }) => email),
    )
    for (const { invitation } of rows) {
      t.match(invitation, { user: { role: 'executive', organization_id }, email_sent: true })
      t.match(invitation, { organization_name: 'Acme', temporary_password: null })
      await mailbox.waitForLetter(invitation?.user.email ?? '')
    }
    const events = await auditEvents(call, admin, { event_type: 'member_invited' })
    t.strictSame(
      new Set(events.map(({ metadata }) => metadata?.user_id)),
      new Set(rows.map(({ invitation }) => invitation?.user._id)),
    )
  })

  t.test('answers each invalid row separately, and invites the others', async (t) => {
    const attempts = mailbox.attempts()
    const good = [person(), person({ access_level: 'bot' }), person({ unknown_field: true })]
    const bad: Record<string, [unknown, ...[string, string][]]> = {
      text: ['somebody', ['', 'model_attributes_type']],
      list: [[], ['', 'model_attributes_type']],
      nothing: [null, ['', 'model_attributes_type']],
      empty: [{}, ['email', 'missing'], ['first_name', 'missing'], ['last_name', 'missing']],
      types: [
        person({ first_name: 7, email: 'x', auto_assign_default_workdays: 'no' }),
        ['auto_assign_default_workdays', 'bool_type'],
        ['email', 'string_too_short'],
        ['email', 'value_error'],
        ['first_name', 'string_type'],
      ],
    }
    const values = Object.values(bad).map(([value]) => value)
    const rows = await invite([good[0], ...values, good[1], good[2]])
    t.strictSame(
      rows.map(({ row }) => row),
      [0, 1, 2, 3, 4, 5, 6, 7],
    )
    const invited = rows.filter(({ status }) => status === 'invited')
    t.strictSame(
      emailsOf(invited),
      good.map(({ email }) => email),
    )
    for (const [index, [name, [, ...faults]]] of Object.entries(bad).entries()) {
      const { row, status, invitation, error } = rows[index + 1] as Row
      t.strictSame([row, status, invitation], [index + 1, 'refused', null], name)
      t.match(error, { code: 'validation_error', detail: 'The row does not fit the contract' })
      const reported = error?.faults.map(({ loc, type }) => [loc.join(' '), type]).sort()
      const place = `body invitations ${row}`
      t.strictSame(
        reported,
        faults.map(([field, type]) => [field ? `${place} ${field}` : place, type]).sort(),
        name,
      )
    }
    t.equal(mailbox.attempts(), attempts + 2)
  })

  t.test('invites one of several rows with the same address', async (t) => {
    const { email } = person()
    const rows = await invite([person({ email }), person({ email: email.toUpperCase() }), person()])
    t.strictSame(rows.map(({ status }) => status).sort(), ['invited', 'invited', 'refused'])
    t.equal(rows[2]?.status, 'invited')
    t.match(
      rows.find(({ status }) => status === 'refused'),
      { invitation: null, error: { code: 'email_exists', faults: [] } },
    )
    const [taken] = await invite([person({ email: admin.email })])
    t.match(taken, { status: 'refused', error: { code: 'email_exists' } })
  })

  t.test('refuses rows from hr with a role that is not below hr', async (t) => {
    const hr = await addMember(organization_id, 'hr')
    const levels = ['employee', 'executive', 'hr', 'admin', 'bot']
    const people = levels.map((access_level) => person({ access_level }))
    const rows = await invite(people, hr)
    const refused = { status: 'refused', error: { code: 'insufficient_role', faults: [] } }
    t.match(rows, [{ status: 'invited' }, { status: 'invited' }, refused, refused, refused])
    const emails = await listEmails()
    t.strictSame(
      people.map(({ email }) => emails.includes(email)),
      [true, true, false, false, false],
    )
  })

  t.test('accepts one to five hundred rows', async (t) => {
    const { body: before } = await call('listUsers', { token })
    const place = { loc: ['body', 'invitations'] }
    for (const [rows, type] of [
      [[], 'too_short'],
      [Array(501).fill(null), 'too_long'],
      [{}, 'list_type'],
      [undefined, 'missing'],
    ] as const) {
      const { status, body } = await send(rows)
      t.equal(status, 422)
      t.match(body.detail, [{ ...place, type }])
    }
    t.equal((await call('listUsers', { token })).body.length, before.length)
    const bots = Array.from({ length: 500 }, () => person({ access_level: 'bot' }))
    const rows = await invite(bots)
    t.strictSame(
      emailsOf(rows),
      bots.map(({ email }) => email),
    )
  })

  t.test('waits for a dead mail server only once, longer than an answer may take', async (t) => {
    const attempts = mailbox.attempts()
    const { timeout } = app.server
    app.server.setTimeout(2_000)
    t.teardown(() => app.server.setTimeout(timeout))
    mailbox.behave('hang')
    t.teardown(() => mailbox.behave('accept'))
    const rows = await invite(Array.from({ length: 24 }, () => person()))
    for (const { invitation } of rows) {
      t.match(invitation, { email_sent: false, temporary_password: /^.{24}$/ })
    }
    // Only the rows in progress when the first letter fails reach the mail server.
    t.ok(mailbox.attempts() - attempts <= 8)
    const [{ email = '', password = '' } = {}] = rows.map(({ invitation }) => ({
      email: invitation?.user.email,
      password: invitation?.temporary_password ?? '',
    }))
    t.equal((await call('login', { body: { email, password } })).status, 200)

    mailbox.behave('accept')
    t.match(await invite([person()]), [{ invitation: { email_sent: true } }])
  })

  t.test('is open to a super_admin of another organization', async (t) => {
    const other = await registerAdmin()
    t.equal((await send([person()], other)).body.code, 'organization_not_found')
    const operator = await addMember(other.organization_id, 'super_admin')
    t.match(await invite([person()], operator), [{ invitation: { user: { organization_id } } }])
  })
})

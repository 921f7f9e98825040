import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { Test } from 'tap'
import { beginning, linkText, linkTo } from '../../src/audit-events/chain/chain.js'
import { verifyFile } from '../../src/audit-events/verification/verify-file.js'
import type { Schema } from '../../src/contract.js'
import { byteOrderMark, bytesAt } from '../helpers/bytes.js'
import { insertEvents } from '../helpers/events.js'
import { t } from '../helpers/file.js'
import { endsOfLines, linesForEveryReader } from '../helpers/lines.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { locate } from '../helpers/walk.js'

const { call, db, registerAdmin, url } = await startService(t)

const exportOf = ({ token, organization_id }: Member, query: Record<string, string> = {}) =>
  call('exportAuditEvents', { token, params: { organization_id }, query })
const linesIn = (text: string) => text.trimEnd().split('\n')
const endOf = (text: string) => JSON.parse(linesIn(text).at(-1) ?? '')

async function adminWith(events: Partial<Schema<'AuditEvent'>>[]): Promise<Member> {
  const admin = await registerAdmin()
  const { organization_id } = admin
  await insertEvents(
    db,
    events.map((event) => ({ organization_id, ...event })),
  )
  return admin
}

function writeExport(t: Test, text: string): string {
  const file = join(t.testdir(), 'export.ndjson')
  writeFileSync(file, text)
  return file
}

/** Verifies a file with the command. Returns the command's output and exit code. */
function runVerify(t: Test, text: string) {
  const args = ['dist/scripts/audit-verify.js', '--file', writeExport(t, text)]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

t.test('exportAuditEvents', async (t) => {
  t.test('writes each event as the listing shows it, in order, and marks the end', async (t) => {
    const admin = await adminWith([{ metadata: { text: 'ü\n\u2028' } }, { status: 'warning' }])
    const { status, headers, body } = await exportOf(admin)
    t.equal(status, 200)
    t.match(headers.get('content-type'), /^application\/x-ndjson/)
    const name = `audit-events-${admin.organization_id}-\\d{4}-\\d\\d-\\d\\d\\.ndjson`
    t.match(headers.get('content-disposition'), new RegExp(`^attachment; filename="${name}"$`))
    const lines = linesIn(body)
    const end = JSON.parse(lines.pop() ?? '')
    t.match(end, { end: true, count: 5, sequence: 5, hash: /^[0-9a-f]{64}$/ })
    t.strictSame(Object.keys(end), ['end', 'count', 'sequence', 'hash'])
    const events = lines.map((line) => JSON.parse(line))
    t.equal(events.at(-1).event_type, 'audit_exported', 'the export itself is the last event')
    const byId = (list: Schema<'AuditEvent'>[]) =>
      [...list].sort((a, b) => String(a._id).localeCompare(String(b._id)))
    t.strictSame(byId(events), byId(await auditEvents(call, admin)))
  })

  t.test('writes each event in one line for every reader, and the lines verify', async (t) => {
    const admin = await registerAdmin()
    const { token, organization_id } = admin
    const params = { organization_id }
    const metadata = { text: endsOfLines, '\u2028': ['\\u2028', '\\\u2028'] }
    const event = {
      category: 'simulation',
      event_type: 'message_sent',
      case_id: endsOfLines,
      metadata,
    }
    const body = { events: [event] }
    t.equal((await call('recordAuditEvents', { token, params, body })).status, 201)
    const { body: file } = await exportOf(admin)
    const lines = linesForEveryReader(file).map((line) => JSON.parse(line))
    t.match(
      lines.find(({ event_type }) => event_type === 'message_sent'),
      event,
    )
    t.equal(lines.at(-1).count, lines.length - 1)
    t.match(runVerify(t, file), { status: 0, output: /valid, 4 events/ })
    t.equal((await call('verifyAuditTrail', { token, params })).body.valid, true)
    const [listed] = await auditEvents(call, admin, { case_id: endsOfLines })
    t.match(listed, event)
  })

  t.test('records who exported what', async (t) => {
    const admin = await adminWith([])
    await exportOf(admin, { format: 'csv', category: 'auth', until: '2999-01-01T00:00:00+01:00' })
    const [event] = await auditEvents(call, admin)
    t.match(event, { category: 'audit', event_type: 'audit_exported', actor_id: admin.user_id })
    const filters = { category: 'auth', until: '2998-12-31T23:00:00.000Z' }
    t.strictSame(event?.metadata, { format: 'csv', filters })
  })

  t.test('writes several pieces, and every event exactly once', async (t) => {
    const admin = await adminWith(Array.from({ length: 1_203 }, (_, n) => ({ metadata: { n } })))
    const { body } = await exportOf(admin)
    t.equal(linesIn(body).length, 1_203 + 3 + 1)
    t.equal(new Set(linesIn(body)).size, 1_203 + 3 + 1)
    t.match(endOf(body), { count: 1_206, sequence: 1_206 })
    t.match(runVerify(t, body), { status: 0, output: /valid, 1206 events up to 1206/ })
  })

  t.test('accepts the filters of the listing', async (t) => {
    const times = [1, 2, 3, 4].map((day) => `2026-03-0${day}T00:00:00.000Z`)
    const admin = await adminWith(
      times.map((created_at, i) => ({ created_at, case_id: `c${i % 2}` })),
    )
    const query = { case_id: 'c0', since: times[0] ?? '', until: times[3] ?? '' }
    const { body } = await exportOf(admin, query)
    const lines = linesIn(body).slice(0, -1)
    t.strictSame(
      lines.map((line) => JSON.parse(line).created_at),
      [times[0], times[2]],
    )
    t.match(endOf(body), { count: 2, sequence: 7, filtered: true })
    t.match(runVerify(t, body), { status: 1, output: /was filtered/ })
    const listed = await auditEvents(call, admin, query)
    t.strictSame(listed.map(({ created_at }) => created_at).reverse(), [times[0], times[2]])
  })

  t.test('writes CSV in which no cell is a formula', async (t) => {
    const starts = ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\n=1', ' =1', '\u00a0=1']
    const text = 'quotes ", commas, and\nlines'
    const admin = await adminWith([
      ...starts.map((case_id) => ({ case_id })),
      { case_id: text, metadata: { formula: '=1' } },
    ])
    const { headers, body } = await exportOf(admin, { format: 'csv', category: 'simulation' })
    t.match(headers.get('content-type'), /^text\/csv/)
    t.match(headers.get('content-disposition'), /\.csv"$/)
    const rows: Record<string, string>[] = parse(body, { columns: true })
    t.strictSame(
      rows.map(({ case_id }) => case_id),
      [...starts.map((start) => (start === '\n=1' ? "'\n'=1" : `'${start}`)), text],
    )
    t.match(rows[0], { event_type: 'message_sent', actor_id: '', metadata: '{}' })
    t.equal(rows.at(-1)?.metadata, '{"formula":"=1"}')
  })

  t.test('begins CSV with a byte order mark on request', async (t) => {
    const admin = await adminWith([{ case_id: 'Köln' }])
    const path = `/api/v1/admin/simulation/audit-events/${admin.organization_id}/export`
    const fileAs = (query: string) => bytesAt(`${url}${path}?category=simulation&${query}`, admin)
    const plain = await fileAs('format=csv')
    t.strictSame(await fileAs('format=csv&bom=true'), Buffer.concat([byteOrderMark, plain]))
    t.equal((await fileAs('format=ndjson&bom=true'))[0], 0x7b)
  })

  t.test('refuses another format and times in the wrong order', async (t) => {
    const admin = await registerAdmin()
    const since = '2026-03-02T00:00:00Z'
    const wrong = [
      [{ format: 'xml' }, 'format'],
      [{ since: 'yesterday' }, 'since'],
      [{ since, until: '2026-03-01T00:00:00Z' }, 'until'],
    ] as const
    for (const [query, name] of wrong) {
      const { status, body } = await exportOf(admin, query)
      t.equal(status, 422)
      t.strictSame(body.detail[0].loc, ['query', name])
    }
    t.notOk((await auditEvents(call, admin)).some((one) => one.event_type === 'audit_exported'))
  })

  t.test('does not delay others when its reader stops reading', async (t) => {
    const text = 'x'.repeat(10_000)
    const admin = await adminWith(Array.from({ length: 2_000 }, () => ({ metadata: { text } })))
    const { organization_id, token } = admin
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    t.teardown(() => socket.destroy())
    const path = `/api/v1/admin/simulation/audit-events/${organization_id}/export`
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`)
    await once(socket, 'readable')
    for (let round = 0; round < 20; round++) {
      t.equal((await call('getCurrentUser', { token })).status, 200)
    }
    t.match(endOf((await exportOf(admin)).body), { count: 2_004 })
  })
})

t.test('A file', async (t) => {
  const admin = await adminWith(Array.from({ length: 9 }, (_, n) => ({ metadata: { n } })))
  const { body } = await exportOf(admin)
  const lines = linesIn(body)
  const end = lines.at(-1) ?? ''
  const joinLines = (...parts: (string | undefined)[]) => `${parts.join('\n')}\n`
  const swapped = [...lines]
  ;[swapped[3], swapped[4]] = [lines[4] ?? '', lines[3] ?? '']
  const first = linkText(linkTo(beginning, lines[0] ?? ''))
  const pruned = JSON.stringify({ ...endOf(body), count: lines.length - 2, pruned: first })
  const wrong: Record<string, string> = {
    'a changed line': body.replace('"n":4', '"n":5'),
    'a missing line': joinLines(...lines.filter((_, i) => i !== 4)),
    'an additional line': joinLines(lines[0], ...lines),
    'two swapped lines': joinLines(...swapped),
    'its end cut off': body.slice(0, -20),
    'no end line': joinLines(...lines.slice(0, -1)),
    'lines cut off before the end line': joinLines(...lines.slice(0, 5), end),
    'something after the end': `${body}x\n`,
    'lines after its end': joinLines(...lines, lines[0], end),
    'its first lines removed as if by pruning': joinLines(...lines.slice(1, -1), pruned),
    'nothing in it': '',
  }
  for (const [what, text] of Object.entries(wrong)) {
    t.test(`with ${what} is not valid`, async (t) => {
      const { fault } = await verifyFile(writeExport(t, text), null)
      t.match(fault, /^The |^Its /)
    })
  }

  t.test('that is not valid makes the command exit with 1', async (t) => {
    t.match(runVerify(t, body.replace('"n":4', '"n":5')), { status: 1, output: /BROKEN/ })
  })

  t.test('from the example in the contract is valid', async (t) => {
    const path = '/api/v1/admin/simulation/audit-events/{organization_id}/export'
    const content = ['paths', path, 'get', 'responses', '200', 'content', 'application/x-ndjson']
    const { value } = locate<{ value: string }>([...content, 'examples', 'events']).node
    t.match(runVerify(t, value), { status: 0, output: /valid, 1 events/ })
  })

  t.test('is valid without a change', async (t) => {
    t.match(runVerify(t, body), { status: 0, output: new RegExp(`valid.* ${endOf(body).hash}`) })
  })
})

import { sql } from 'kysely'
import { jsonb } from '../../src/database/expressions.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const { call, db, registerAdmin } = await startService(t)
const admin = await registerAdmin()

const update = (experiment_id: string, body: object = {}, { token } = admin) =>
  call('updateExperiment', { token, params: { experiment_id }, body })

async function draft({ organization_id } = admin, metadata: Record<string, unknown> = {}) {
  const _id = createId()
  const values = { organization_id, _id, metadata: jsonb(metadata) }
  await db.insertInto('experiments').values(values).execute()
  return _id
}

const control = 'control_session_ids'
const intervention = 'intervention_session_ids'
const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })
const letters = (count: number) => 'x'.repeat(count)
const ids = (count: number) => Array.from({ length: count }, () => createId())
const names = (count: number) => Array.from({ length: count }, (_, i) => `session ${i}`)

t.test('updateExperiment', async (t) => {
  t.test('reports the place and the type of every fault', async (t) => {
    const faulty: [body: Record<string, unknown>, loc: string[], type: string][] = [
      [{ name: 7 }, ['name'], 'string_type'],
      [{ name: letters(201) }, ['name'], 'string_too_long'],
      [{ hypothesis: [] }, ['hypothesis'], 'string_type'],
      [{ hypothesis: letters(10_001) }, ['hypothesis'], 'string_too_long'],
      [{ status: true }, ['status'], 'string_type'],
      [{ status: '' }, ['status'], 'string_too_short'],
      [{ status: letters(101) }, ['status'], 'string_too_long'],
      [{ start_at: 1_767_225_600 }, ['start_at'], 'string_type'],
      [{ metadata: null }, ['metadata'], 'dict_type'],
      [{ metadata: [] }, ['metadata'], 'dict_type'],
      [{ metadata: nested(9) }, ['metadata'], 'too_deep'],
      [{ metadata: { text: letters(16_384) } }, ['metadata'], 'too_large'],
      [{ name: 'a\0b' }, ['name'], 'not_storable'],
      ...[control, intervention, 'assignment_ids'].flatMap(
        (list): [Record<string, unknown>, string[], string][] => [
          [{ [list]: 'session' }, [list], 'list_type'],
          [{ [list]: ['a', 7] }, [list, '1'], 'string_type'],
          [{ [list]: ['a', null] }, [list, '1'], 'string_type'],
          [{ [list]: ['a', 'b', ''] }, [list, '2'], 'string_too_short'],
          [{ [list]: [letters(129)] }, [list, '0'], 'string_too_long'],
          [{ [list]: names(1001) }, [list], 'too_long'],
          [{ [list]: names(600).map((name) => name.padEnd(128)) }, [list], 'too_large'],
        ],
      ),
    ]
    const _id = await draft()
    const { body: before } = await update(_id)
    for (const [body, loc, type] of faulty) {
      const answer = await update(_id, body)
      t.equal(answer.status, 422, `${loc}: ${type}`)
      t.equal(answer.body.detail.length, 1)
      t.match(answer.body.detail, [{ loc: ['body', ...loc], type, msg: /\S/ }])
    }
    const three = await update(_id, { name: 7, status: '', [control]: [''] })
    t.equal(three.body.detail.length, 3)
    t.strictSame((await update(_id)).body, before)
  })

  t.test('accepts values at the limits', async (t) => {
    const lists = {
      ...{ [control]: [...names(999), letters(128)], [intervention]: ids(1000) },
      assignment_ids: names(1000),
    }
    const texts = { name: letters(200), hypothesis: letters(10_000), status: letters(100) }
    const { status, body } = await update(await draft(), { ...lists, ...texts })
    t.equal(status, 200)
    t.match(body, { ...lists, ...texts })
    t.equal(body.warnings.length, 100, 'of 1,000 unknown sessions')
    const most = { text: letters(16_384 - '{"text":""}'.length) }
    t.equal((await update(await draft(), { metadata: most })).status, 200)
    t.equal((await update(await draft(), { metadata: nested(8) })).status, 200)
  })

  t.test('counts new metadata together with stored metadata', async (t) => {
    const _id = await draft(admin, { kept: letters(10_000) })
    const answer = await update(_id, { metadata: { more: letters(7_000) } })
    t.equal(answer.status, 422)
    t.match(answer.body.detail, [{ loc: ['body', 'metadata'], type: 'too_large' }])
    t.equal((await update(_id, { metadata: { kept: null, more: letters(7_000) } })).status, 200)
    t.strictSame(Object.keys((await update(_id)).body.metadata), ['more'])
  })

  t.test('refuses invalid times and times without an offset', async (t) => {
    const _id = await draft()
    const wrong = [
      '2026-12-01T08:00:00',
      '2026-12-01',
      '2026-12-01 08:00:00Z',
      '2026-02-30T08:00:00Z',
      '2025-02-29T08:00:00Z',
      '2026-13-01T08:00:00Z',
      '2026-12-01T24:00:00Z',
      '2026-06-30T23:59:60Z',
      '2026-12-01T08:00:00+24:00',
      '0000-06-01T00:00:00Z',
      '0001-01-01T00:00:00+05:00',
      '9999-12-31T23:59:59-05:00',
      '+012026-12-01T08:00:00Z',
      'tomorrow',
    ]
    for (const field of ['start_at', 'end_at']) {
      for (const time of wrong) {
        const answer = await update(_id, { [field]: time })
        t.equal(answer.status, 422, `${field}: ${time}`)
        t.match(answer.body.detail, [{ loc: ['body', field], type: 'datetime_parsing' }])
      }
    }
  })

  t.test('refuses a period that ends before it starts', async (t) => {
    const [early, late] = ['2026-12-01T08:00:00Z', '2026-12-01T09:30:00+01:00']
    const end = {
      status: 422,
      body: { detail: [{ loc: ['body', 'end_at'], type: 'end_before_start' }] },
    }
    const start = { status: 422, body: { detail: [{ loc: ['body', 'start_at'] }] } }
    t.match(await update(await draft(), { start_at: late, end_at: early }), end)
    t.match(await update(await draft(), { start_at: early, end_at: early }), end)

    const _id = await draft()
    await update(_id, { start_at: early, end_at: late })
    t.match(await update(_id, { end_at: '2026-12-01T09:00:00+01:00' }), end)
    t.match(await update(_id, { start_at: late }), start)
    t.match(await update(_id, { start_at: null, end_at: '2025-01-01T00:00:00Z' }), end)
    const moved = { start_at: '2027-01-01T00:00:00.000Z', end_at: '2027-01-01T00:00:00.001Z' }
    t.match(await update(_id, moved), { status: 200, body: moved })
  })

  t.test('refuses a session in both arms', async (t) => {
    const bothIn = (list: string, index: string) => ({
      status: 422,
      body: { detail: [{ loc: ['body', list, index], type: 'in_both_arms' }] },
    })
    const _id = await draft()
    const both = { [control]: ['a', 'b'], [intervention]: ['c', 'b'] }
    t.match(await update(_id, both), bothIn(intervention, '1'))
    await update(_id, { [control]: ['a', 'b'], [intervention]: ['c'] })
    t.match(await update(_id, { [intervention]: ['x', 'y', 'a'] }), bothIn(intervention, '2'))
    t.match(await update(_id, { [control]: ['c'] }), bothIn(control, '0'))
    const swapped = { [control]: ['c'], [intervention]: ['a', 'b'] }
    t.match(await update(_id, swapped), { status: 200, body: swapped })
    t.equal((await update(_id, { assignment_ids: ['a', 'c'] })).status, 200)
  })

  t.test('warns about an empty arm, but only while running', async (t) => {
    const _id = await draft()
    t.strictSame((await update(_id, { [control]: ['a'] })).body.warnings, [])
    const { warnings } = (await update(_id, { status: 'running' })).body
    t.match(warnings, [{ field: intervention, value: null, message: /\S/ }])
    t.equal(warnings.length, 1)
    t.strictSame((await update(_id, { [intervention]: ['b'] })).body.warnings, [])
    const none = await update(_id, { [control]: [], [intervention]: [] })
    const fields = none.body.warnings.map(({ field }: { field: string }) => field)
    t.strictSame(fields, [control, intervention])
    t.strictSame((await update(_id, { status: 'paused' })).body.warnings, [])
  })

  t.test('warns when one arm is more than twice as large as the other', async (t) => {
    const _id = await draft()
    const even = { [control]: ['a', 'b', 'c', 'd'], [intervention]: ['e', 'f'] }
    t.strictSame((await update(_id, even)).body.warnings, [])
    const { body } = await update(_id, { [control]: ['a', 'b', 'c', 'd', 'g'] })
    t.match(body.warnings, [{ field: control, value: '5:2', message: /\S/ }])
    const other = await update(_id, { [control]: ['a'], [intervention]: ['e', 'f', 'g'] })
    t.match(other.body.warnings, [{ field: intervention, value: '1:3' }])
  })

  t.test('warns about a session that another running experiment uses', async (t) => {
    const [home, away] = [await registerAdmin(), await registerAdmin()]
    const [first, second] = [await draft(home), await draft(home)]
    const elsewhere = await draft(away)
    const sessions = { [control]: ['a'], [intervention]: ['b'] }
    await update(elsewhere, { ...sessions, status: 'running' }, away)
    t.strictSame((await update(first, { ...sessions, status: 'running' }, home)).body.warnings, [])
    const { warnings } = (await update(second, { [control]: ['b', 'c'] }, home)).body
    t.match(warnings, [{ field: control, value: 'b', message: /\S/ }])
    t.equal(warnings.length, 1)
    await update(first, { status: 'completed' }, home)
    t.strictSame((await update(second, {}, home)).body.warnings, [])
  })

  t.test('finds a session of another running experiment among many experiments', async (t) => {
    const company = await registerAdmin()
    await sql`
      insert into experiments (organization_id, _id, status, control_session_ids)
      select ${company.organization_id}, gen_random_uuid(), 'running',
        array(select repeat('x', 50) || i * case i when 1 then 1 else one end
          from generate_series(1, 100) as i)
      from generate_series(1, 400) as one`.execute(db)
    const first = `${letters(50)}1`
    const others = Array.from({ length: 999 }, (_, i) => `${letters(50)}-${i}`)
    const _id = await draft(company)
    const { body } = await update(_id, { [control]: [...others, first] }, company)
    t.match(body.warnings.map(({ value }: { value: string }) => value).slice(-1), [first])
    const params = { experiment_id: _id }
    const readiness = await call('getExperimentReadiness', { token: company.token, params })
    const lines: { check: string; message: string }[] = readiness.body.checks
    const line = lines.find(({ check }) => check === 'sessions_free')
    t.match(line?.message, / and 195 more\.$/)
  })
})

import { randomUUID } from 'node:crypto'
import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { type Answer, type Member, startService } from '../helpers/service.js'

const { call, db, request, registerAdmin, addMember } = await startService(t)
type Listed = Schema<'ListedExperiment'>

const path = '/api/v1/admin/simulation/team-drills/experiments'
const create = (body: object, { token }: Member) => call('createExperiment', { token, body })
const list = ({ token }: Member, query: Record<string, string> = {}) =>
  call('listExperiments', { token, query })
const namesIn = ({ body }: Answer) => body.map(({ name }: Listed) => name)

/** Inserts experiments, each created `step` milliseconds after the previous one. */
async function addExperiments({ organization_id }: Member, count: number, step = 0) {
  const rows = Array.from({ length: count }, (_, i) => {
    const created_at = new Date(Date.UTC(2026, 0, 1) + i * step).toISOString()
    return { organization_id, _id: randomUUID(), name: `Experiment ${i}`, created_at }
  })
  await db.insertInto('experiments').values(rows).execute()
  return rows
}

/** Returns every page along the links. Calls `meanwhile` after each page. */
async function walk({ token }: Member, query: string, meanwhile = async () => {}) {
  const pages: Listed[][] = []
  const headers = { authorization: `Bearer ${token}` }
  for (let next = `${path}?${query}`; next && pages.length < 50; ) {
    const page = await request(next, { headers })
    pages.push(page.body)
    next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
    await meanwhile()
  }
  return pages
}

t.test('A page of experiments ends after 256 KiB', async (t) => {
  for (const [letter, expected] of [
    // Each experiment is 100 KB long, and with two bytes a letter 190 KB.
    ['x', ['edc', 'ba']],
    ['ÿ', ['ed', 'cb', 'a']],
  ] as const) {
    const admin = await registerAdmin()
    const ids = (arm: string) =>
      Array.from({ length: 255 }, (_, i) => `${arm}-${i}`.padEnd(128, letter))
    const body = {
      control_session_ids: ids('control'),
      intervention_session_ids: ids('intervention'),
      assignment_ids: ids('assignment'),
    }
    for (const name of 'abcde') await create({ name, ...body }, admin)
    const pages = await walk(admin, 'limit=500')
    t.strictSame(
      pages.map((page) => page.map(({ name }) => name).join('')),
      expected,
    )
  }
})

t.test('listExperiments', async (t) => {
  const admin = await registerAdmin()
  const { organization_id, token } = admin
  const names = ['Plain', '100% Åsa', 'Under_score', 'Back\\slash', 'plainer']
  for (const name of names) await create({ name }, admin)
  const newest = names.toReversed()
  const [last] = (await list(admin)).body
  const params = { experiment_id: last._id }
  await call('updateExperiment', {
    token,
    params,
    body: { status: 'our "label"', name: 'plainer' },
  })
  await addExperiments(admin, 1)
  await db
    .updateTable('experiments')
    .set({ name: null, status: 'archived' })
    .where('organization_id', '=', organization_id)
    .where('name', '=', 'Experiment 0')
    .execute()

  const filters: [Record<string, string>, (string | null)[]][] = [
    [{}, [...newest, null]],
    [{ status: '', name: '', organization_id: '' }, [...newest, null]],
    [{ organization_id }, [...newest, null]],
    [{ status: 'draft' }, newest.slice(1)],
    [{ status: 'Draft' }, []],
    [{ status: 'our "label"' }, ['plainer']],
    [{ status: 'archived' }, [null]],
    [{ name: 'PLAIN' }, ['plainer', 'Plain']],
    [{ name: '%' }, ['100% Åsa']],
    [{ name: '0% å' }, ['100% Åsa']],
    [{ name: 'A\u030aSA' }, ['100% Åsa']],
    [{ name: '_' }, ['Under_score']],
    [{ name: '\\' }, ['Back\\slash']],
    [{ name: "' or 1=1 --" }, []],
    [{ name: 'plain', status: 'draft' }, ['Plain']],
  ]
  for (const [query, found] of filters) {
    t.test(`finds ${found.length} with ${JSON.stringify(query)}`, async (t) => {
      for (const role of ['admin', 'hr', 'executive'] as const) {
        const answer = await list(await addMember(organization_id, role), query)
        t.strictSame(namesIn(answer), found, role)
        t.equal(answer.headers.get('link'), null)
      }
    })
  }

  t.test('shows each experiment as getExperiment does, without warnings', async (t) => {
    const company = await registerAdmin()
    const session_ids = ['s1', 's2', 's3']
    const { _id } = (await create({ name: 'Full', assignment_ids: ['a'] }, company)).body
    const params = { experiment_id: _id }
    const blocks = [{ name: 'b "1"', session_ids: ['s2'] }]
    const body = { session_ids, blocks }
    await call('assignSessions', { token: company.token, params, body })
    const { warnings, ...listed } = (await call('getExperiment', { token: company.token, params }))
      .body
    t.strictSame(listed.assignment.blocks.length, 2)
    const operator = await addMember(company.organization_id, 'super_admin')
    for (const [as, query] of [
      [company, {}],
      [operator, { organization_id: company.organization_id }],
      [operator, { limit: '500' }],
    ] as const) {
      const { body } = await list(as, query)
      t.strictSame(
        body.filter((one: Listed) => one._id === _id),
        [listed],
      )
    }
  })

  t.test('refuses an invalid filter', async (t) => {
    const query = { limit: '0', name: 'x'.repeat(201), status: 'x'.repeat(101) }
    const { status, body } = await list(admin, query)
    t.equal(status, 422)
    t.strictSame(body.detail.map(({ loc }: { loc: string[] }) => loc.join()).sort(), [
      'query,limit',
      'query,name',
      'query,status',
    ])
    t.match((await list(admin, { cursor: 'x' })).body.detail, [{ loc: ['query', 'cursor'] }])
    t.equal((await list(admin, { limit: '501' })).status, 422)
  })

  for (const [limit, step] of [
    [1, 0],
    [2, 1],
    [3, 0],
  ] as const) {
    t.test(`returns each once, ${limit} per page, while others are added`, async (t) => {
      const company = await registerAdmin()
      const operator = await addMember(company.organization_id, 'super_admin')
      const rows = await addExperiments(company, 7, step)
      const expected = rows
        .toSorted((a, b) => (a.created_at + a._id < b.created_at + b._id ? 1 : -1))
        .map(({ _id }) => _id)
      const add = async () => void (await create({ name: 'Newer' }, company))
      const query = `limit=${limit}&name=experiment`
      for (const [as, of] of [
        [company, ''],
        [operator, `&organization_id=${company.organization_id}`],
      ] as const) {
        const pages = await walk(as, query + of, add)
        t.ok(pages.slice(0, -1).every((page) => page.length === limit))
        t.strictSame(
          pages.flat().map(({ _id }) => _id),
          expected,
        )
      }
      const everywhere = (await walk(operator, `limit=500&name=Experiment`)).flat()
      const ours = everywhere.filter((one) => one.organization_id === company.organization_id)
      t.strictSame(
        ours.map(({ _id }) => _id),
        expected,
      )
    })
  }

  t.test('returns a hundred per page by default', async (t) => {
    const company = await registerAdmin()
    await addExperiments(company, 101, 1)
    const operator = await addMember(company.organization_id, 'super_admin')
    for (const as of [company, operator]) {
      const [page, second] = await walk(as, '')
      // The experiments of other organizations can be so long that fewer fill a page.
      t.ok(page?.length === 100 || Buffer.byteLength(JSON.stringify(page)) > 262_144)
      t.ok(second && second.length > 0)
    }
  })

  t.test('shows every organization to a super_admin, page by page', async (t) => {
    const operator = await addMember(organization_id, 'super_admin')
    const other = await registerAdmin()
    const name = `Unlike others ${createId()}`
    for (const as of [admin, other, admin]) await create({ name }, as)
    const three = [organization_id, other.organization_id, organization_id]
    for (const [limit, expected] of [
      ['1', three.map((one) => [one])],
      ['2', [three.slice(0, 2), three.slice(2)]],
      ['3', [three]],
    ] as const) {
      const pages = await walk(operator, new URLSearchParams({ limit, name }).toString())
      t.strictSame(
        pages.map((page) => page.map((one) => one.organization_id)),
        expected,
      )
    }
  })

  t.test('answers 404 for an unknown organization', async (t) => {
    const answer = await list(admin, { organization_id: createId() })
    t.match(answer, { status: 404, body: { code: 'organization_not_found' } })
  })
})

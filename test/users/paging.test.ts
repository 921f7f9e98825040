import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { type Answer, type Member, startService } from '../helpers/service.js'

const { url, call, db, request, registerAdmin, addMember } = await startService(t)
type User = Schema<'User'>

const list = (as: Member, query: Record<string, string> = {}) =>
  call('listUsers', { token: as.token, query })
const idsOf = (users: User[]) => users.map(({ _id }) => _id)
const namesIn = ({ body }: Answer) => body.map(({ full_name }: User) => full_name)
const nextOf = ({ headers }: Answer) =>
  /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]

type Person = Partial<Pick<User, 'full_name' | 'role' | 'is_active' | 'username' | 'email'>>

async function addPeople({ organization_id }: Member, people: Person[]) {
  const rows = people.map((person, index) => {
    const _id = createId()
    const names = { username: `person-${index}`, email: `${_id}@example.com` }
    return { _id, organization_id, ...names, is_bot: person.role === 'bot', ...person }
  })
  for (let from = 0; from < rows.length; from += 1_000) {
    await db
      .insertInto('users')
      .values(rows.slice(from, from + 1_000))
      .execute()
  }
}

/** Returns all pages. It follows the links from this path on. */
async function readPages({ token }: Member, path: string): Promise<Answer[]> {
  const pages: Answer[] = []
  const headers = { authorization: `Bearer ${token}` }
  for (let next: string | undefined = path; next && pages.length < 50; ) {
    const page: Answer = await request(next, { headers })
    pages.push(page)
    next = nextOf(page)
  }
  return pages
}

t.test('listUsers', async (t) => {
  const admin = await registerAdmin({ first_name: 'Zed', last_name: 'Admin', email: 'z@x.example' })
  await addPeople(admin, [
    { full_name: '100% Åsa', role: 'hr', username: 'asa' },
    { full_name: 'Under_score', role: 'executive', is_active: false, username: 'under' },
    { full_name: 'Back\\slash', username: 'slash' },
    { full_name: 'Robo', role: 'bot', username: 'robo-one' },
    { full_name: 'Plain', username: 'plain-name', email: 'MiXed@case.example' },
    { full_name: 'Ju\u0308rgen', username: 'decomposed' },
    { full_name: 'Zoë Bjo\u0308rn', username: 'in-both-forms' },
    { full_name: 'Sleeper', role: 'bot', is_active: false, username: 'sleeper' },
  ])
  const all = [
    'Zed Admin',
    '100% Åsa',
    'Under_score',
    'Back\\slash',
    'Robo',
    'Plain',
    'Ju\u0308rgen',
    'Zoë Bjo\u0308rn',
    'Sleeper',
  ]

  const filters: [Record<string, string>, string[]][] = [
    [{}, all],
    [{ role: '', q: '', organization_id: '' }, all],
    [{ role: 'hr' }, ['100% Åsa']],
    [{ role: 'super_admin' }, []],
    [{ is_active: 'false' }, ['Under_score', 'Sleeper']],
    [{ is_active: 'true', is_bot: 'true' }, ['Robo']],
    [{ is_bot: 'true' }, ['Robo', 'Sleeper']],
    [
      { is_bot: 'false', is_active: 'true' },
      ['Zed Admin', '100% Åsa', 'Back\\slash', 'Plain', 'Ju\u0308rgen', 'Zoë Bjo\u0308rn'],
    ],
    [{ q: 'zoë björn' }, ['Zoë Bjo\u0308rn']],
    [{ q: '%' }, ['100% Åsa']],
    [{ q: '_' }, ['Under_score']],
    [{ q: '\\' }, ['Back\\slash']],
    [{ q: '0% å' }, ['100% Åsa']],
    [{ q: 'A\u030aSA' }, ['100% Åsa']],
    [{ q: 'JÜRG' }, ['Ju\u0308rgen']],
    [{ q: 'JU\u0308RG' }, ['Ju\u0308rgen']],
    [{ q: 'PLAIN-N' }, ['Plain']],
    [{ q: 'mixed@CASE' }, ['Plain']],
    [{ q: "' or 1=1 --" }, []],
    [{ q: 'e', role: 'bot', is_active: 'false', is_bot: 'true' }, ['Sleeper']],
  ]
  for (const [query, names] of filters) {
    t.test(`finds ${names.length} with ${JSON.stringify(query)}`, async (t) => {
      for (const role of ['admin', 'employee'] as const) {
        const viewer = role === 'admin' ? admin : await addMember(admin.organization_id, role)
        const { status, headers, body } = await list(viewer, query)
        t.equal(status, 200)
        const found = body.filter(({ username }: User) => !username.startsWith('employee-'))
        t.strictSame(
          found.map(({ full_name }: User) => full_name),
          names,
        )
        t.equal(headers.get('x-total-count'), String(body.length))
        t.equal(headers.get('link'), null)
      }
    })
  }

  t.test('refuses invalid filters', async (t) => {
    const query = {
      role: 'chief',
      is_active: 'perhaps',
      is_bot: '2',
      limit: '0',
      q: 'x'.repeat(201),
    }
    const { status, body } = await list(admin, query)
    t.equal(status, 422)
    const places = body.detail.map(({ loc }: { loc: string[] }) => loc.join(' '))
    t.strictSame([...new Set(places)].sort(), [
      'query is_active',
      'query is_bot',
      'query limit',
      'query q',
      'query role',
    ])
    const nulls = { role: 'null', is_bot: 'null', limit: 'null', cursor: 'null' }
    const answer = await list(admin, nulls)
    t.strictSame([answer.status, answer.body.detail.length], [422, 3], 'they cannot be null')
    t.equal((await list(admin, { organization_id: 'null' })).status, 404)
    for (const limit of ['1001', '-1', '1.5', 'many']) {
      t.match((await list(admin, { limit })).body.detail, [{ loc: ['query', 'limit'] }])
    }
    for (const cursor of ['nonsense', Buffer.from('2026 x').toString('base64url')]) {
      const refused = await list(admin, { cursor })
      t.equal(refused.status, 422)
      t.match(refused.body.detail, [{ loc: ['query', 'cursor'], type: 'cursor_invalid' }])
    }
  })

  t.test('returns everyone once over all linked pages, with the same filters', async (t) => {
    const company = await registerAdmin()
    await addPeople(
      company,
      Array.from({ length: 25 }, () => ({ full_name: 'a & b=c' })),
    )
    const { body: everybody } = await list(company)
    for (const [path, expected, sizes] of [
      ['/api/v1/users?limit=10', everybody, [10, 10, 6]],
      ['/api/v1/users?limit=13', everybody, [13, 13]],
      ['/api/v1/users?limit=26', everybody, [26]],
      ['/api/v1/users?limit=12&q=a+%26+b%3Dc&role=employee', everybody.slice(1), [12, 12, 1]],
    ] as const) {
      const pages = await readPages(company, path)
      t.strictSame(
        pages.map(({ body }) => body.length),
        sizes,
      )
      t.strictSame(idsOf(pages.flatMap(({ body }) => body)), idsOf(expected))
      for (const { headers } of pages) {
        t.equal(headers.get('x-total-count'), String(expected.length))
      }
    }
    const [first] = await readPages(company, '/api/v1/users?limit=10')
    const rest = (nextOf(first as Answer) ?? '').replace(/limit=10&?/, '')
    const { body, headers } = await request(rest, {
      headers: { authorization: `Bearer ${company.token}` },
    })
    t.strictSame(idsOf(body), idsOf(everybody.slice(10)))
    t.equal(headers.get('x-total-count'), '26')
  })

  t.test('lists all of 2,501 people in one answer without a limit, in order', async (t) => {
    const company = await registerAdmin()
    await addPeople(
      company,
      Array.from({ length: 2_500 }, (_, i) => ({ full_name: `P ${i}` })),
    )
    const expected = ['Ada Okafor', ...Array.from({ length: 2_500 }, (_, i) => `P ${i}`)]
    const answer = await list(company)
    t.equal(answer.status, 200)
    t.match(answer.headers.get('content-type'), /^application\/json/)
    t.equal(answer.headers.get('x-total-count'), '2501')
    t.equal(answer.headers.get('link'), null)
    t.strictSame(namesIn(answer), expected)
    t.equal(new Set(idsOf(answer.body)).size, 2_501)

    const pages = await readPages(company, '/api/v1/users?limit=200')
    t.strictSame(
      pages.map(({ body }) => body.length),
      [...Array(12).fill(200), 101],
    )
    t.strictSame(pages.flatMap(namesIn), expected)
    t.strictSame(namesIn(await list(company, { role: 'employee' })), expected.slice(1))
    const viewer = await addMember(company.organization_id, 'employee')
    t.strictSame(namesIn(await list(viewer)).slice(0, -1), expected)

    const headers = { authorization: `Bearer ${company.token}` }
    const response = await fetch(`${url}/api/v1/users`, { method: 'HEAD', headers })
    t.strictSame([response.status, await response.text()], [200, ''])
  })

  for (const size of [99, 100, 101, 200, 201]) {
    t.test(`lists all of ${size} people, at the edge of a piece`, async (t) => {
      const company = await registerAdmin()
      await addPeople(
        company,
        Array.from({ length: size - 1 }, () => ({})),
      )
      const { headers, body } = await list(company)
      t.equal(headers.get('x-total-count'), String(size))
      t.equal(new Set(idsOf(body)).size, size)
      t.equal(body.length, size)
    })
  }

  t.test('lets only a super_admin choose another organization', async (t) => {
    const company = await registerAdmin()
    await addPeople(company, [{ full_name: 'Somebody' }])
    const { organization_id } = company
    const operator = await addMember(admin.organization_id, 'super_admin')
    const answer = await list(operator, { organization_id, limit: '1' })
    t.strictSame(namesIn(answer), ['Ada Okafor'])
    t.equal(answer.headers.get('x-total-count'), '2')
    const pages = await readPages(
      operator,
      `/api/v1/users?limit=1&organization_id=${organization_id}`,
    )
    t.strictSame(pages.flatMap(namesIn), ['Ada Okafor', 'Somebody'])
    t.equal((await list(operator, { organization_id: createId() })).status, 404)
    const refused = await list(admin, { organization_id })
    t.equal(refused.status, 404)
    t.equal(refused.body.code, 'organization_not_found')
  })
})

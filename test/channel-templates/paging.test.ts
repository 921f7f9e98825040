import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { type Answer, type Member, startService } from '../helpers/service.js'

const { call, db, request, registerAdmin, addMember } = await startService(t)

const list = ({ token }: Member, query: Record<string, string> = {}) =>
  call('listChannelTemplates', { token, query })
const namesIn = ({ body }: Answer) =>
  body.map((one: Schema<'ChannelTemplate'>) => `${one.scenario_name}/${one.channel_name}`)
const nextOf = ({ headers }: Answer) =>
  /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
const follow = ({ token }: Member, path: string): Promise<Answer> =>
  request(path, { headers: { authorization: `Bearer ${token}` } })

async function insert({ organization_id }: Member, names: string[]) {
  const rows = names.map((name) => {
    const [scenario_name = '', channel_name = ''] = name.split('/')
    return { organization_id, _id: createId(), setup_id: null, scenario_name, channel_name }
  })
  await db.insertInto('channel_templates').values(rows).execute()
}

t.test('listChannelTemplates', async (t) => {
  t.test('answers page by page, sorted by the bytes of the names', async (t) => {
    const admin = await registerAdmin()
    const odd = ['é', 'Z', 'a b', '"', '\\', '🗝️', 'ß', '%', '\u0001'].map((name) => `${name}/x`)
    await insert(admin, [...odd, 'a/Z', 'a/a', 'a/ä', `${'🗝️'.repeat(66)}/${'\u0001'.repeat(200)}`])
    const all = namesIn(await list(admin))
    const bytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
    t.strictSame(
      all.map((name: string) => name.split('/')[0]),
      all.map((name: string) => name.split('/')[0]).toSorted(bytes),
    )
    for (const limit of ['1', '5', '13']) {
      let page = await list(admin, { limit })
      const names = namesIn(page)
      for (let next = nextOf(page); next; next = nextOf(page)) {
        page = await follow(admin, next)
        names.push(...namesIn(page))
      }
      t.strictSame(names, all, limit)
    }
  })

  t.test('keeps its place while templates are added and deleted', async (t) => {
    const admin = await registerAdmin()
    await insert(admin, ['s/b', 's/d', 's/f', 's/h', 'other/x'])
    const first = await list(admin, { limit: '2', scenario_name: 's' })
    await insert(admin, ['s/a', 's/c', 's/e', 's/i'])
    await db
      .deleteFrom('channel_templates')
      .where('organization_id', '=', admin.organization_id)
      .where('channel_name', 'in', ['d', 'f'])
      .execute()
    const second = await follow(admin, nextOf(first) ?? '')
    const third = await follow(admin, nextOf(second) ?? '')
    t.strictSame([first, second, third].map(namesIn), [['s/b', 's/d'], ['s/e', 's/h'], ['s/i']])
    t.equal(nextOf(third), undefined)
  })

  t.test('ends a page after 256 KiB, and the next page continues there', async (t) => {
    const admin = await registerAdmin()
    const names = Array.from({ length: 25 }, (_, i) => `s/${String(i).padStart(3, '0')}`)
    await insert(admin, names)
    const content = 'a long text '.repeat(3_750)
    await db
      .updateTable('channel_templates')
      .set({ message_templates: JSON.stringify([{ content }]) as never })
      .where('organization_id', '=', admin.organization_id)
      .execute()
    let page = await list(admin, { limit: '20' })
    const pages = [namesIn(page)]
    for (let next = nextOf(page); next; next = nextOf(page)) {
      page = await follow(admin, next)
      pages.push(namesIn(page))
    }
    t.strictSame(
      pages.map((one) => one.length),
      [6, 6, 6, 6, 1],
    )
    t.strictSame(pages.flat(), names)
    t.strictSame(namesIn(await list(admin)), names, 'without a limit all come in one answer')
  })

  t.test('returns all templates in one answer without a limit', async (t) => {
    const admin = await registerAdmin()
    const names = Array.from({ length: 250 }, (_, i) => `s/${String(i).padStart(3, '0')}`)
    await insert(admin, names.toReversed())
    const whole = await list(admin)
    t.strictSame([namesIn(whole), nextOf(whole)], [names, undefined])
    const part = await list(admin, { limit: '100' })
    const rest = await follow(admin, (nextOf(part) ?? '').replace('limit=100', ''))
    t.strictSame([...namesIn(part), ...namesIn(rest)], names)
  })

  t.test('returns templates of every organization to a super_admin, page by page', async (t) => {
    const home = await registerAdmin()
    const operator = await addMember(home.organization_id, 'super_admin')
    const scenario_name = createId()
    for (let i = 0; i < 3; i += 1) await insert(await registerAdmin(), [`${scenario_name}/same`])
    const ids: string[] = []
    let page = await list(operator, { scenario_name, limit: '2' })
    for (;;) {
      ids.push(...page.body.map(({ _id }: { _id: string }) => _id))
      const next = nextOf(page)
      if (!next) break
      page = await follow(operator, next)
    }
    t.equal(new Set(ids).size, 3)
    t.strictSame(ids, ids.toSorted())
    t.equal((await list(operator, { scenario_name })).body.length, 3)
  })

  t.test('refuses an invalid cursor', async (t) => {
    const admin = await registerAdmin()
    const cursors = [['a'], ['a', 'b', 'c'], ['a\0', 'b', createId()], ['\ud800', 'b', createId()]]
    for (const texts of [...cursors, [1, 'b', createId()]]) {
      const cursor = Buffer.from(JSON.stringify(texts)).toString('base64url')
      const { status, body } = await list(admin, { cursor })
      t.strictSame([status, body.detail?.[0]?.loc], [422, ['query', 'cursor']], cursor)
    }
  })
})

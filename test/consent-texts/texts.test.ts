import { createHash } from 'node:crypto'
import type { Schema } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { setLimits } from '../helpers/limits.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'

const { call, db, registerAdmin } = await startService(t)

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

const list = ({ token, organization_id }: Member, query = {}) =>
  call('listConsentTexts', { token, params: { organization_id }, query })
const create = ({ token, organization_id }: Member, text: string) =>
  call('createConsentText', { token, params: { organization_id }, body: { text } })
const versionsOf = (texts: Schema<'ConsentText'>[]) => texts.map(({ version }) => version)

t.test('listConsentTexts', async (t) => {
  t.test('begins with the text of the service, which never changes', async (t) => {
    const { status, body } = await list(await registerAdmin())
    t.equal(status, 200)
    t.match(body, [{ version: 0, created_at: null, created_by: null }])
    const [{ text, sha256 }] = body
    t.equal(hashOf(text), sha256)
    t.equal(sha256, '55c3eee2a87bccf9f55204026c022b599671b291e58834e3a58223a5de4cdf4e')
    for (const subject of [
      'What is recorded',
      'Who sees it',
      'How long',
      'You may leave',
      'jederzeit gehen',
    ]) {
      t.match(text, subject)
    }
  })

  t.test('returns the newest first, page by page, and the text of the service last', async (t) => {
    const admin = await registerAdmin()
    for (const text of ['One.', 'Two.', 'Three.']) await create(admin, text)
    t.strictSame(versionsOf((await list(admin)).body), [3, 2, 1, 0])
    for (const limit of [1, 2, 3, 4]) {
      const found: number[] = []
      for (let query: Record<string, string> | null = { limit: String(limit) }; query; ) {
        const { body, headers } = await list(admin, query)
        t.ok(body.length > 0 && body.length <= limit)
        found.push(...versionsOf(body))
        const next = headers.get('link')?.match(/cursor=([^&>]+)/)?.[1]
        query = next ? { limit: String(limit), cursor: decodeURIComponent(next) } : null
      }
      t.strictSame(found, [3, 2, 1, 0], `limit ${limit}`)
    }
    const { status } = await list(admin, { cursor: 'WyJ4Il0' })
    t.equal(status, 422)
  })
})

t.test('createConsentText', async (t) => {
  t.test('creates the next version with exactly the text sent, and records it', async (t) => {
    const admin = await registerAdmin()
    const text = ' We record what you write.\n\nAsk Zoë. '
    const { status, body } = await create(admin, text)
    t.equal(status, 201)
    const sha256 = hashOf(text)
    t.match(body, { version: 1, text, sha256, created_by: admin.user_id, created_at: /Z$/ })
    t.strictSame((await list(admin)).body[0], body)
    const events = await auditEvents(call, admin, { event_type: 'consent_text_changed' })
    t.equal(events.length, 1)
    t.match(events[0], { category: 'organization', metadata: { version: 1, sha256 } })
    t.notMatch(JSON.stringify(events[0]), 'Zoë')
  })

  t.test(
    'changes nothing if the text is current, and makes an old one current again',
    async (t) => {
      const admin = await registerAdmin()
      const [{ text }] = (await list(admin)).body
      t.match(await create(admin, text), { status: 201, body: { version: 0 } })
      const { body } = await create(admin, 'One.')
      t.strictSame((await create(admin, 'One.')).body, body)
      await create(admin, 'Two.')
      t.match((await create(admin, 'One.')).body, { version: 3 })
      const events = await auditEvents(call, admin, { event_type: 'consent_text_changed' })
      t.equal(events.length, 3)
    },
  )

  t.test('numbers concurrent texts without gaps', async (t) => {
    const admin = await registerAdmin()
    const texts = Array.from({ length: 6 }, (_, i) => `Text ${i}.`)
    await Promise.all(texts.map((text) => create(admin, text)))
    t.strictSame(versionsOf((await list(admin)).body), [6, 5, 4, 3, 2, 1, 0])
  })

  t.test('refuses an empty and a too long text', async (t) => {
    const admin = await registerAdmin()
    for (const text of ['', ' \n', 'a'.repeat(10_001)]) {
      t.equal((await create(admin, text)).status, 422)
    }
  })

  t.test('is a 409 beyond the limit of the organization', async (t) => {
    const admin = await registerAdmin()
    await setLimits(db, admin.organization_id, { consent_texts: 1 })
    await create(admin, 'One.')
    const { status, body } = await create(admin, 'Two.')
    t.equal(status, 409)
    t.match(body, { code: 'quota_exceeded', quota: 'consent_texts', used: 1, allowed: 1 })
  })
})

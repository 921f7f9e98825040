import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'

const { call, registerAdmin } = await startService(t)
const { token } = await registerAdmin()

/** This number of texts that cannot be stored, each with a short key. */
const unstorable = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, '\0']))

t.test('The answer to 1,000 faults has less than 1,000,000 characters', async (t) => {
  const create = (metadata: object) =>
    call('createExperiment', { token, body: { name: 'Answers', metadata } })

  t.test('when they share one long key', async (t) => {
    const { status, body } = await create({ ['long'.repeat(15_000)]: unstorable(1_000) })
    t.equal(status, 422)
    t.ok(JSON.stringify(body).length < 1_000_000)
    const [place] = body.detail.map(({ loc }: { loc: string[] }) => loc).slice(-1)
    t.equal(place.at(-2).length, 200)
    t.match(place.at(-2), /^(long)+lon…$/)
  })

  t.test('when they share many nested keys', async (t) => {
    let metadata: object = unstorable(1_000)
    for (let level = 0; level < 50; level++) metadata = { ['n'.repeat(200)]: metadata }
    const { status, body } = await create(metadata)
    t.equal(status, 422)
    t.ok(JSON.stringify(body).length < 1_000_000)
  })

  t.test('when the caller has no token', async (t) => {
    const experience = [{ title: 'x', ['long'.repeat(10_000)]: unstorable(1_000) }]
    const { status, body } = await call('register', { body: { experience } })
    t.equal(status, 422)
    t.ok(JSON.stringify(body).length < 1_000_000)
  })
})

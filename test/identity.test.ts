import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../src/database/open.js'
import { ContractError } from '../src/errors.js'
import { limitAttempts } from '../src/identity/attempts.js'
import { createPasswords } from '../src/identity/password.js'
import { t } from './helpers/file.js'
import { startService } from './helpers/service.js'

const { db } = await startService(t)
const rule = { most: 1, seconds: 900 }
const attempt = (email: string) => ({ email, ip: '192.0.2.1' })
const right = async () => 'right'
const wrong = async () => null

t.test('Attempts', async (t) => {
  t.test('are counted together by all that use the database, each kind by itself', async (t) => {
    const [one, other] = [1, 2].map(() => limitAttempts(db, { ...rule, name: 'one kind' }))
    const another = limitAttempts(db, { ...rule, name: 'another kind' })
    await one?.count(attempt('ada@acme.example'))
    t.equal(await secondsToWait(other?.count(attempt(' Ada@Acme.example'))), 900)
    t.equal(await secondsToWait(other?.guess(attempt('ada@acme.example'), right)), 900)
    t.equal(await secondsToWait(other?.count(attempt('tom@acme.example'))), 0)
    t.equal(await secondsToWait(another.count(attempt('ada@acme.example'))), 0)
  })

  t.test('that were refused do not make anybody wait longer', async (t) => {
    const attempts = limitAttempts(db, { most: 2, seconds: 1, name: 'refused' })
    const here = attempt('ada@acme.example')
    await attempts.guess(here, wrong)
    await attempts.guess(here, wrong)
    for (let again = 0; again < 5; again++) t.equal(await secondsToWait(attempts.count(here)), 1)
    const { points } = await db
      .selectFrom('attempts')
      .select('points')
      .where('key', 'like', 'refused:%')
      .executeTakeFirstOrThrow()
    t.equal(points, 2)
    await sleep(1_000)
    t.equal(await attempts.guess(here, right), 'right')
  })

  t.test('that are under way ask others to come again soon, those made to wait', async (t) => {
    const attempts = limitAttempts(db, { ...rule, name: 'under way' })
    const here = attempt(' Ada@Acme.example')
    const { promise, resolve } = answerable()
    const guess = attempts.guess(here, () => promise)
    t.equal(await secondsToWait(attempts.count(attempt('ada@acme.example'))), 1)
    resolve(null)
    t.equal(await guess, null)
    t.equal(await secondsToWait(attempts.count(here)), 900)
  })

  t.test('that could not be made are given back', async (t) => {
    const attempts = limitAttempts(db, { ...rule, name: 'given back' })
    const here = attempt('ada@acme.example')
    await t.rejects(
      attempts.guess(here, () => Promise.reject(new Error('too busy'))),
      /too busy/,
    )
    t.equal(await attempts.guess(here, right), 'right')
    t.equal(await secondsToWait(attempts.count(here)), 0)
  })

  t.test('are counted by each process while they cannot be counted together', async (t) => {
    const databaseUrl = 'postgres://nobody@127.0.0.1:1/nowhere'
    const away = await openDatabase({ databaseUrl, dataDir: '', databasePoolMax: 1 }, () => {})
    const attempts = limitAttempts(away, { ...rule, name: 'away' })
    await attempts.guess(attempt('ada@acme.example'), right)
    await attempts.guess(attempt('ada@acme.example'), wrong)
    t.equal(await secondsToWait(attempts.count(attempt('ada@acme.example'))), 900)
    await away.destroy()
  })

  t.test('leave no e-mail address and no network address behind', async (t) => {
    const email = `${randomUUID()}@acme.example`
    await limitAttempts(db, { ...rule, name: 'traces' }).count(attempt(email))
    const rows = await db.selectFrom('attempts').selectAll().execute()
    t.ok(rows.length > 0)
    t.notMatch(JSON.stringify(rows), /@|192\.0\.2\.1/)
  })
})

t.test('A password has another hash each time', async (t) => {
  const passwords = await createPasswords()
  const [one, other] = [await passwords.hash('a password'), await passwords.hash('a password')]
  t.not(one, other)
  for (const hash of [one, other]) t.equal(await passwords.verify(hash, 'a password'), true)
})

/** What the refusal of an attempt says of when to come again; 0 when it is not refused. */
async function secondsToWait(made: Promise<unknown> | undefined): Promise<number> {
  try {
    await made
    return 0
  } catch (error) {
    if (!(error instanceof ContractError) || error.statusCode !== 429) throw error
    return Number(error.headers['retry-after'])
  }
}

function answerable() {
  let resolve: (answer: string | null) => void = () => {}
  const promise = new Promise<string | null>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

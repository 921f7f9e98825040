import { ContractError } from '../../src/errors.js'
import { limitAttempts } from '../../src/identity/attempts/attempts.js'
import { createPasswords } from '../../src/identity/password.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { until } from '../helpers/until.js'

const { db } = await startService(t)
const attempt = (email: string) => ({ email, ip: '192.0.2.1' })
const right = async () => 'right'
const wrong = async () => null
const unexpected = (error: unknown) => t.fail(String(error))
const attemptsOf = (kind: string, { limit = 1, seconds = 900 } = {}) =>
  limitAttempts(() => db, { kind, limit, seconds }, unexpected)
const countsOf = (kind: string) => db.selectFrom('attempts').selectAll().where('kind', '=', kind)

/** Moves time forward until the counted attempts no longer count. */
const expire = (kind: string) =>
  db
    .updateTable('attempts')
    .set({ expires_at: '2026-01-01T00:00:00.000Z' })
    .where('kind', '=', kind)
    .execute()

t.test('Attempts', async (t) => {
  t.test('are counted in all processes together, each kind separately', async (t) => {
    const [one, other] = [attemptsOf('one kind'), attemptsOf('one kind')]
    await one.count(attempt('ada@acme.example'))
    t.ok(await secondsToWait(other.count(attempt(' Ada@Acme.example'))))
    t.ok(await secondsToWait(other.guess(attempt('ada@acme.example'), right)))
    t.equal(await secondsToWait(other.count(attempt('tom@acme.example'))), 0)
    t.equal(await secondsToWait(other.count({ ...attempt('ada@acme.example'), ip: '::1' })), 0)
    t.equal(await secondsToWait(attemptsOf('another kind').count(attempt('ada@acme.example'))), 0)
  })

  t.test('do not count when they were refused', async (t) => {
    const attempts = attemptsOf('refused', { limit: 2 })
    const here = attempt('ada@acme.example')
    await attempts.guess(here, wrong)
    await attempts.guess(here, wrong)
    for (let again = 0; again < 5; again++) {
      const wait = await secondsToWait(attempts.guess(here, right))
      t.ok(wait > 800 && wait <= 900)
    }
    t.match(await countsOf('refused').execute(), [{ taken: 2, spent: 2 }])
  })

  t.test('count until they expire', async (t) => {
    const attempts = attemptsOf('expired')
    await attempts.guess(attempt('ada@acme.example'), wrong)
    await expire('expired')
    t.equal(await attempts.guess(attempt('ada@acme.example'), right), 'right')
    t.match(await countsOf('expired').execute(), [{ taken: 0, spent: 0 }])
  })

  t.test('that are given back late do not reduce later counts', async (t) => {
    const attempts = attemptsOf('late')
    const here = attempt('ada@acme.example')
    const { promise, resolve } = createAnswer()
    const guess = attempts.guess(here, () => promise)
    await until(async () => (await countsOf('late').execute()).length === 1)
    await expire('late')
    // A period is known by its end. Two periods of equal length may begin in the same millisecond.
    const later = attemptsOf('late', { seconds: 600 })
    await later.guess(here, wrong)
    resolve('right')
    t.equal(await guess, 'right')
    t.match(await countsOf('late').execute(), [{ taken: 1, spent: 1 }])
    t.ok(await secondsToWait(later.guess(here, right)))
  })

  t.test('in a burst are limited like attempts in sequence, also after they expire', async (t) => {
    const attempts = attemptsOf('burst', { limit: 10 })
    let guesses = 0
    const burst = () =>
      Promise.all(
        Array.from({ length: 200 }, () =>
          secondsToWait(
            attempts.guess(attempt('ada@acme.example'), async () => {
              guesses++
              return null
            }),
          ),
        ),
      )
    await burst()
    t.equal(guesses, 10)
    const again = burst()
    await expire('burst')
    await again
    await burst()
    t.equal(guesses, 20)
  })

  t.test('in progress make other attempts wait for a second', async (t) => {
    const attempts = attemptsOf('under way')
    const here = attempt(' Ada@Acme.example')
    const { promise, resolve } = createAnswer()
    const guess = attempts.guess(here, () => promise)
    await until(async () => (await countsOf('under way').execute()).length === 1)
    for (const asking of [attempts, attemptsOf('under way')]) {
      t.equal(await secondsToWait(asking.count(attempt('ada@acme.example'))), 1)
    }
    resolve(null)
    t.equal(await guess, null)
    t.ok((await secondsToWait(attempts.count(here))) > 800)
  })

  t.test('that fail with an error are given back', async (t) => {
    const attempts = attemptsOf('given back')
    const here = attempt('ada@acme.example')
    await t.rejects(
      attempts.guess(here, () => Promise.reject(new Error('too busy'))),
      /too busy/,
    )
    t.equal(await attempts.guess(here, right), 'right')
    t.equal(await secondsToWait(attempts.count(here)), 0)
  })

  t.test('are deleted when they no longer count', async (t) => {
    await attemptsOf('forgotten').count(attempt('ada@acme.example'))
    await expire('forgotten')
    await attemptsOf('later').count(attempt('ada@acme.example'))
    await until(async () => (await countsOf('forgotten').execute()).length === 0)
    t.pass()
  })
})

t.test('A password has a different hash each time', async (t) => {
  const passwords = await createPasswords()
  const [one, other] = [
    await passwords.hash('a password', 'a'),
    await passwords.hash('a password', 'b'),
  ]
  t.not(one, other)
  for (const hash of [one, other]) t.ok(await passwords.verify(hash, 'a password', 'a'))
})

/** Returns the seconds to wait after a refused attempt, or 0 if the attempt is not refused. */
async function secondsToWait(made: Promise<unknown> | undefined): Promise<number> {
  try {
    await made
    return 0
  } catch (error) {
    if (!(error instanceof ContractError) || error.statusCode !== 429) throw error
    return Number(error.headers['retry-after'])
  }
}

function createAnswer() {
  let resolve: (answer: string | null) => void = () => {}
  const promise = new Promise<string | null>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

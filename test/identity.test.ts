import { ContractError } from '../src/errors.js'
import { limitAttempts } from '../src/identity/attempts.js'
import { createPasswords } from '../src/identity/password.js'
import { t } from './helpers/file.js'

const attempt = (email: string) => ({ email, ip: '192.0.2.1' })

t.test('Attempts', async (t) => {
  t.test('of many accounts are kept in a bounded memory', async (t) => {
    const attempts = limitAttempts(1, 60)
    attempts.count(attempt('first@acme.example'))
    for (let one = 0; one < 20_000; one++) attempts.count(attempt(`${one}@acme.example`))
    t.doesNotThrow(() => attempts.count(attempt('first@acme.example')), 'the oldest is forgotten')
    t.equal(
      secondsToWait(() => attempts.count(attempt('19999@acme.example'))),
      '60',
    )
  })

  t.test('that are under way ask others to come again soon, those made to wait', async (t) => {
    const attempts = limitAttempts(1, 900)
    const here = attempt(' Ada@Acme.example')
    const { promise, resolve } = answerable()
    const guess = attempts.guess(here, () => promise)
    t.equal(
      secondsToWait(() => attempts.count(attempt('ada@acme.example'))),
      '1',
    )
    resolve(null)
    t.equal(await guess, null)
    t.equal(
      secondsToWait(() => attempts.count(here)),
      '900',
    )
  })

  t.test('that could not be made are given back', async (t) => {
    const attempts = limitAttempts(1, 900)
    const here = attempt('ada@acme.example')
    await t.rejects(
      attempts.guess(here, () => Promise.reject(new Error('too busy'))),
      /too busy/,
    )
    t.equal(await attempts.guess(here, async () => 'right'), 'right')
    t.doesNotThrow(() => attempts.count(here))
  })
})

t.test('A password has another hash each time', async (t) => {
  const passwords = await createPasswords()
  const [one, other] = [await passwords.hash('a password'), await passwords.hash('a password')]
  t.not(one, other)
  for (const hash of [one, other]) t.equal(await passwords.verify(hash, 'a password'), true)
})

/** What the refusal of an attempt says of when to come again. */
function secondsToWait(make: () => void): string | undefined {
  try {
    make()
  } catch (error) {
    if (error instanceof ContractError && error.statusCode === 429) {
      return error.headers['retry-after']
    }
  }
  return undefined
}

function answerable() {
  let resolve: (answer: string | null) => void = () => {}
  const promise = new Promise<string | null>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

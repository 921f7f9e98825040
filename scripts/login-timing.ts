import { randomUUID } from 'node:crypto'

/**
 * Compares the time of a login for an unknown e-mail address with that for a wrong password, side
 * by side, against a running service with RATE_LIMIT=off: `node dist/scripts/login-timing.js
 * http://127.0.0.1:3000`. Exits with 1 when the medians are more than 10 % apart.
 */
const base = `${process.argv[2] ?? 'http://127.0.0.1:3000'}/api/v1/auth`
const rounds = 50
const email = `${randomUUID()}@timing.example`

async function post(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(`${base}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function timeLogin(address: string): Promise<number> {
  const start = performance.now()
  const response = await post('login', { email: address, password: 'not the password' })
  await response.text()
  if (response.status !== 401) throw new Error(`Expected 401, got ${response.status}`)
  return performance.now() - start
}

function median(times: number[]): number {
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}

const names = { organization_name: 'Timing', first_name: 'Timing', last_name: 'Timing' }
const registered = await post('register', { email, password: randomUUID(), ...names })
if (registered.status !== 201) throw new Error(`Cannot register: ${registered.status}`)

const unknown: number[] = []
const wrong: number[] = []
for (let round = 0; round < rounds + 5; round++) {
  const times = [await timeLogin(`${randomUUID()}@timing.example`), await timeLogin(email)] as const
  if (round < 5) continue
  unknown.push(times[0])
  wrong.push(times[1])
}
const [unknownMs, wrongMs] = [median(unknown), median(wrong)]
const apart = Math.abs(unknownMs - wrongMs) / Math.min(unknownMs, wrongMs)
console.log(`unknown e-mail: median of ${rounds} ${unknownMs.toFixed(2)} ms`)
console.log(`wrong password: median of ${rounds} ${wrongMs.toFixed(2)} ms`)
console.log(`apart: ${(apart * 100).toFixed(1)} % (goal: at most 10 %)`)
process.exitCode = apart <= 0.1 ? 0 : 1

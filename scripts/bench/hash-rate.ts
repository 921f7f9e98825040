import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { hashPassword } from './peers/registration.js'

/**
 * The password hashes per second that this machine gives with as many threads as cores and nothing
 * else to do, measured in a process of its own.
 */
export async function measureHashRate(seconds: number): Promise<number> {
  const env = { PATH: process.env.PATH, UV_THREADPOOL_SIZE: String(availableParallelism()) }
  const file = fileURLToPath(import.meta.url)
  const { stdout } = await promisify(execFile)(process.execPath, [file, String(seconds)], { env })
  return Number(stdout)
}

async function hashFor(seconds: number): Promise<number> {
  await hashPassword('correct horse battery staple')
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1_000
  let hashes = 0
  async function keepHashing(): Promise<void> {
    while (performance.now() < endsAt) {
      await hashPassword('correct horse battery staple')
      hashes++
    }
  }
  // One more than threads, so that no thread waits for the next password.
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, keepHashing))
  return (hashes * 1_000) / (performance.now() - startedAt)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(await hashFor(Number(process.argv[2])))
}

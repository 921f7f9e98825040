import { availableParallelism } from 'node:os'
import argon2 from 'argon2'

/** The parameters of the service. */
const parameters = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Measures how many passwords a second all cores hash when they do nothing else. */
export async function measureHashRate(seconds: number): Promise<number> {
  const startedAt = performance.now()
  let hashes = 0
  async function keepHashing(): Promise<void> {
    while (performance.now() < startedAt + seconds * 1_000) {
      await argon2.hash('correct horse battery staple', parameters)
      hashes++
    }
  }
  // One more than cores, so that no core waits for the next password.
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, keepHashing))
  return (hashes * 1_000) / (performance.now() - startedAt)
}

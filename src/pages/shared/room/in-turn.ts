/** How long a read may keep the next one waiting. */
const patienceMs = 20_000

/** Reads one after the other, so that an older answer never replaces a later one. */
export function inTurn(read: (signal: AbortSignal) => Promise<void>): () => Promise<void> {
  let last = Promise.resolve()
  return () => {
    last = last.catch(() => {}).then(() => read(AbortSignal.timeout(patienceMs)))
    return last
  }
}

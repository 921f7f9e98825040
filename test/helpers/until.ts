import { setTimeout as wait } from 'node:timers/promises'

/** Waits until a condition is true. Throws after five minutes; `explain` says what is missing then. */
export async function until(
  condition: () => Promise<boolean> | boolean,
  explain = () => `Timed out waiting for ${condition}`,
): Promise<void> {
  const end = performance.now() + 300_000
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(explain())
    await wait(20)
  }
}

interface Coded {
  body: { code?: string } | null
}

async function repeatWhile<A extends Coded>(code: string, ask: () => Promise<A>): Promise<A> {
  let answer = await ask()
  await until(async () => {
    if (answer.body?.code === code) answer = await ask()
    return answer.body?.code !== code
  })
  return answer
}

/** Repeats a request, as clients do, while the answer is that another request is running. */
export const untilFree = <A extends Coded>(ask: () => Promise<A>) => repeatWhile('busy', ask)

/** Repeats a request, as clients do, while the answer is that the service is too busy. */
export const untilServed = <A extends Coded>(ask: () => Promise<A>) =>
  repeatWhile('unavailable', ask)

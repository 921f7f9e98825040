import { setTimeout as wait } from 'node:timers/promises'

/** Waits for something that comes; long before a minute has passed it will not come any more. */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`It was never so: ${isSo}`)
    await wait(20)
  }
}

/** Asks again, as clients do, for as long as the answer is that another request is at it. */
export async function untilFree<Answer extends { body: { code?: string } | null }>(
  ask: () => Promise<Answer>,
): Promise<Answer> {
  let answer = await ask()
  await until(async () => {
    if (answer.body?.code === 'busy') answer = await ask()
    return answer.body?.code !== 'busy'
  })
  return answer
}

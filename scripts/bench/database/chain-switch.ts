import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

const createSwitch = `
  create or replace function bench.queue_nothing() returns trigger language plpgsql as $$
    begin
      return null;
    end
  $$;
  create or replace trigger queue_nothing before insert on unsealed_events
  for each row execute function bench.queue_nothing()`

export type Chain = 'chained' | 'unchained'

/** The service always seals its events. A trigger that queues nothing leaves it without work. */
export async function switchChain(client: pg.Client, chain: Chain): Promise<void> {
  await client.query(
    chain === 'unchained'
      ? createSwitch
      : 'drop trigger if exists queue_nothing on unsealed_events',
  )
}

const longestMs = 60_000
const checkMs = 50

/** Waits until all recorded events are sealed, and returns the milliseconds that took. */
export async function untilSealed(client: pg.Client): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const { rows } = await client.query<{ is_there: boolean }>(
      'select exists (select from unsealed_events) as is_there',
    )
    const waited = performance.now() - startedAt
    if (!rows[0]?.is_there) return waited
    if (waited > longestMs) throw new Error('Recorded events are not sealed after a minute')
    await sleep(checkMs)
  }
}

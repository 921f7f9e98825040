import { setTimeout as sleep } from 'node:timers/promises'
import { untilSealed } from './chain-switch.js'
import { applyLoad, type LoadRequest, type LoadResult } from './load.js'
import { familyCpuMs, postgresCpuMs, usedBetween } from './process-meters.js'
import { neverTheSame } from './requests.js'
import type { Setting } from './setting.js'
import type { Side } from './sides.js'
import { temporaryName } from './temporary.js'

const leastSeconds = 3
/** Sealing comes later than what is sealed, and what it costs belongs to the load before it. */
const sealingMs = 2_000

/** Requests that each record one event of a temporary organization. */
export interface Recording {
  request(number: number): LoadRequest
  expectedStatus: number
}

export interface RecordingTurn extends Pick<LoadResult, 'requestsPerSecond' | 'p50' | 'p99'> {
  serviceUs: number | null
  postgresUs: number | null
  /** After the end of the load. */
  sealedMs: number
}

/** A load from its first request until all its events are sealed. */
export async function takeRecordingTurn(
  setting: Setting,
  { url, pid }: Side,
  { request, expectedStatus, writers }: Recording & { writers: number },
): Promise<RecordingTurn> {
  const { options, database } = setting
  const before = await readMeters(setting, pid)
  const { requestsPerSecond, p50, p99 } = await applyLoad({
    url,
    requestsOf: neverTheSame(request),
    connections: writers,
    seconds: Math.max(leastSeconds, options.seconds),
    expectedStatus,
  })
  const [sealedMs] = await Promise.all([untilSealed(database.client), sleep(sealingMs)])
  const after = await readMeters(setting, pid)
  // Each request is one event, those included that came before and after the measured part.
  const perRequest = (ms: number | null) =>
    ms === null ? null : (ms * 1_000) / (after.events - before.events)
  return {
    requestsPerSecond,
    p50,
    p99,
    serviceUs: perRequest(
      before.service === null || after.service === null ? null : after.service - before.service,
    ),
    postgresUs: perRequest(usedBetween(before.postgres, after.postgres)),
    sealedMs,
  }
}

async function readMeters({ database: { client } }: Setting, pid: number) {
  const { rows } = await client.query<{ events: number }>(
    `select count(*)::int as events from audit_events
    where organization_id in (select _id from organizations where name = $1)`,
    [temporaryName],
  )
  return {
    events: rows[0]?.events ?? 0,
    service: familyCpuMs(pid),
    postgres: await postgresCpuMs(client),
  }
}

import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import type pg from 'pg'

const selectSettings = `
  select string_agg(name || ' ' || current_setting(name), ', ') as settings from pg_settings
  where name in ('server_version', 'shared_buffers', 'max_connections', 'fsync', 'jit')`

/** Describes the machine, on which all figures depend. */
export async function describeMachine(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ settings: string }>(selectSettings)
  const [load = 0] = loadavg()
  return [
    `${availableParallelism()} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB`,
    `Node ${process.version}, PostgreSQL: ${rows[0]?.settings}`,
    `Load before: ${load.toFixed(2)}${load > 0.5 ? ', BUSY: do not trust the figures' : ''}`,
  ].join('\n')
}

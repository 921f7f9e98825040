import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import type pg from 'pg'

const settings = [
  'server_version',
  'shared_buffers',
  'max_connections',
  'fsync',
  'synchronous_commit',
  'jit',
]

/** What the numbers of a run depend on. */
export async function describeMachine(client: pg.Client): Promise<string[]> {
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  const [busy = 0] = loadavg()
  return [
    `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${gigabytes} GB`,
    `Node ${process.version}, ${process.platform}`,
    `PostgreSQL: ${await describeServer(client)}`,
    `Load of the machine before: ${busy.toFixed(2)}${busy > 0.5 ? ', BUSY: do not trust the numbers' : ''}`,
  ]
}

/** How a server is configured. */
export async function describeServer(client: pg.Client): Promise<string> {
  const described = []
  for (const name of settings) {
    const { rows } = await client.query<{ value: string }>('select current_setting($1) as value', [
      name,
    ])
    described.push(`${name} ${rows[0]?.value}`)
  }
  return described.join(', ')
}

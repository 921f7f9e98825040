import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { getRequest, send } from '../client.js'
import { withNewDatabases } from '../connections.js'
import type { LoadRequest } from '../load.js'
import type { Options } from '../options.js'
import { register } from '../requests.js'
import { type Side, startSide } from '../sides.js'

export const databaseKinds = ['postgresql', 'embedded'] as const
export type DatabaseKind = (typeof databaseKinds)[number]

export interface Account {
  organization_id: string
  /** The access token of its admin. */
  token: string
}

/** Where a storm is made. */
export interface Target {
  url: string
  /** The organization that storms. */
  stormer: Account
  isSmall: boolean
}

/** One service on a database of its own, with two organizations. */
export interface Arena extends Target {
  service: Side
  /** The one whose reads are measured. */
  other: Account
}

/**
 * Does work with a new service on a new database, so that no storm meets what another one left. All
 * data are made over HTTP: an older build can be measured in the same way.
 */
export async function withArena<T>(
  kind: DatabaseKind,
  { server, options }: { server: string; options: Pick<Options, 'service' | 'small'> },
  work: (arena: Arena) => Promise<T>,
): Promise<T> {
  const play = async (place: Parameters<typeof startSide>[1]) => {
    const service = await startSide('service', place, builtIn(options.service))
    try {
      const { url } = service
      const [stormer, other] = [await registerAccount(url), await registerAccount(url)]
      return await work({ service, url, stormer, other, isSmall: options.small })
    } finally {
      await service.stop()
    }
  }
  if (kind === 'embedded') return withDirectory((dataDir) => play({ dataDir }))
  const name = `workplace_bench_fairness_${process.pid}`
  return withNewDatabases([server], name, ([databaseUrl = '']) => play({ databaseUrl }))
}

/** Where the service of another checkout is, if one is named. */
export function builtIn(checkout: string | null): { script?: string } {
  return checkout === null ? {} : { script: `file://${resolve(checkout, 'dist/src/server.js')}` }
}

async function withDirectory<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'workplace-bench-data-'))
  try {
    return await work(dataDir)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

export async function registerAccount(url: string): Promise<Account> {
  const { body } = await send(url, register(), 201)
  const { organization_id, access_token } = body as Record<string, string>
  return { organization_id: organization_id ?? '', token: access_token ?? '' }
}

export const cheapRead = ({ organization_id, token }: Account): LoadRequest =>
  getRequest(token, `/api/v1/organizations/${organization_id}/branding`)

import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The secrets that sign access tokens: the configured ones, else one that is made once and kept in
 * DATA_DIR, so that tokens outlive a restart.
 */
export function loadSigningSecrets(configured: string[] | null, dataDir: string): string[] {
  if (configured) return configured
  const file = join(dataDir, 'jwt-secret')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  try {
    writeFileSync(file, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  return [readFileSync(file, 'utf8')]
}

import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The secrets that sign access tokens: the configured ones, or one that is created once and stored in
 * DATA_DIR, so that tokens stay valid after a restart.
 */
export function loadSigningSecrets(configured: string[] | null, dataDir: string): string[] {
  if (configured) return configured
  const file = join(dataDir, 'jwt-secret')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (!existsSync(file)) createSecret(file)
  return [readFileSync(file, 'utf8')]
}

/** Writes a draft and links it into place, so that no other process reads half a secret. */
function createSecret(file: string): void {
  const draft = `${file}.${process.pid}.draft`
  writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600 })
  try {
    linkSync(draft, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    rmSync(draft)
  }
}

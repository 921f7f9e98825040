import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  type Checkpoint,
  createAuditKeys,
  readCheckpoint,
} from '../src/audit-events/chain/checkpoint.js'
import { verifyTrail } from '../src/audit-events/verification/verify.js'
import { verifyFile } from '../src/audit-events/verification/verify-file.js'
import { isNewDatabase, openDatabase } from '../src/database/open.js'
import { isId } from '../src/formats/identifiers.js'
import { loadSigningSecrets } from '../src/identity/login-sessions/signing-secret.js'
import { readConfig } from '../src/process/config.js'

const usage = `Verifies audit trails: npm run audit:verify [-- OPTION …]

  --organization ID   the trail of one organization, instead of every one in the database
  --file EXPORT       an exported NDJSON file instead of the database
  --checkpoint FILE   the trail must lead to what was signed then, in the file's JWS
  --keys FILE         the keys of /.well-known/jwks.json, instead of those of this configuration

Ends with 0 only when everything holds.`

const options = {
  organization: { type: 'string' },
  file: { type: 'string' },
  checkpoint: { type: 'string' },
  keys: { type: 'string' },
  help: { type: 'boolean' },
} as const

/** Whether what was asked for holds; says so, or where it is broken. */
async function verify(): Promise<boolean> {
  const { values } = parseArgs({ options })
  if (values.help) {
    console.log(usage)
    return true
  }
  const checkpoint = values.checkpoint ? await openCheckpoint(values.checkpoint, values.keys) : null
  const organization_id = values.organization ?? checkpoint?.organization_id ?? null
  if (organization_id !== null && !isId(organization_id))
    throw new Error('This is no organization.')
  if (checkpoint && checkpoint.organization_id !== organization_id) {
    throw new Error('The checkpoint is of another organization.')
  }
  return values.file
    ? verifyExport(values.file, organization_id, checkpoint)
    : verifyDatabase(organization_id, checkpoint)
}

async function openCheckpoint(file: string, keysFile: string | undefined) {
  const jwks = keysFile ? JSON.parse(readFileSync(keysFile, 'utf8')) : await configuredKeys()
  const checkpoint = await readCheckpoint(readFileSync(file, 'utf8').trim(), jwks)
  if (!checkpoint) throw new Error('The checkpoint is signed by none of the keys.')
  return checkpoint
}

async function configuredKeys() {
  const { auditSecrets, jwtSecrets, dataDir } = readConfig()
  const configured = auditSecrets ?? jwtSecrets
  // A secret that is made now has signed nothing.
  if (!configured && !existsSync(join(dataDir, 'jwt-secret'))) {
    throw new Error('There are no keys here: name those of the service with --keys.')
  }
  return (await createAuditKeys(configured ?? loadSigningSecrets(null, dataDir))).jwks
}

async function verifyExport(file: string, wanted: string | null, goal: Checkpoint | null) {
  const { fault, ...found } = await verifyFile(file, goal)
  const { organization_id, events, sequence, hash } = found
  const isOther = wanted !== null && organization_id !== null && organization_id !== wanted
  const said = isOther ? 'The file is of another organization.' : fault
  if (said) console.error(`${file}: BROKEN. ${said}`)
  else console.log(`${file}: valid, ${events} events up to ${sequence}, ${hash}`)
  return !said
}

async function verifyDatabase(wanted: string | null, goal: Checkpoint | null) {
  const config = readConfig()
  // A database that is made now has no trail.
  if (isNewDatabase(config)) {
    throw new Error(`There is no database in ${config.dataDir}.`)
  }
  const db = await openDatabase(config, (error) => console.error(`Database: ${error.message}`))
  try {
    const rows = await db.selectFrom('organizations').select('_id').orderBy('_id').execute()
    const organizations = rows.map(({ _id }) => _id).filter((_id) => (wanted ?? _id) === _id)
    if (wanted && organizations.length === 0) throw new Error('There is no such organization.')
    if (organizations.length === 0) console.log('There is no trail.')
    let broken = 0
    for (const organization_id of organizations) {
      const { valid, events, sequence, hash, first_fault } = await verifyTrail(
        { db, organization_id },
        goal,
      )
      if (!valid) broken++
      const fault = first_fault && describe(first_fault)
      if (fault) console.error(`${organization_id}: BROKEN ${fault}`)
      else console.log(`${organization_id}: valid, ${events} events up to ${sequence}, ${hash}`)
    }
    return broken === 0
  } finally {
    await db.destroy()
  }
}

function describe(fault: { sequence: number | null; event_id: string | null; reason: string }) {
  const { sequence, event_id, reason } = fault
  const place = sequence === null ? 'outside the trail' : `at ${sequence}`
  return `${place}, ${event_id ? `event ${event_id}, ` : ''}${reason}`
}

try {
  process.exitCode = (await verify()) ? 0 : 1
} catch (error) {
  console.error(`Not verified: ${error instanceof Error ? error.message : error}`)
  process.exit(1)
}

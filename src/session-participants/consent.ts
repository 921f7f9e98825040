import { selectConsentText, selectCurrentText } from '../consent-texts/queries.js'
import type { Schema } from '../contract.js'
import type { Db, Trx } from '../database/schema.js'
import { consentOutdated } from '../errors.js'
import { type Fault, validationFailed } from '../faults.js'
import { hasJoined } from '../simulation-sessions/find-session.js'
import type { SessionPart } from '../simulation-sessions/team/part-queries.js'

const missing: Fault = {
  loc: ['body', 'consent_version'],
  msg: 'Field required',
  type: 'missing',
}

/** The consent text that a participant has agreed to. For those who do not take part, the current one. */
export async function offeredConsent(
  db: Db,
  organization_id: string,
  { place }: SessionPart,
): Promise<Schema<'OfferedConsent'>> {
  const agreed = hasJoined(place) ? (place?.consent_version ?? null) : null
  const known = agreed === null ? undefined : await selectConsentText(db, organization_id, agreed)
  const { version, sha256, text } = known ?? (await selectCurrentText(db, organization_id))
  return { version, sha256, text }
}

/**
 * Returns what a place keeps of the consent to a version. Throws 409 if another one is current, and 422
 * without a version if the organization has a text of its own.
 */
export async function consentTo(
  trx: Trx,
  organization_id: string,
  version: number | null,
): Promise<{ consent_version: number | null; consent_sha256: string | null }> {
  const current = await selectCurrentText(trx, organization_id)
  if (version === null) {
    if (current.version > 0) throw validationFailed([missing])
    return { consent_version: null, consent_sha256: null }
  }
  if (version !== current.version) throw consentOutdated(current.version)
  return { consent_version: version, consent_sha256: current.sha256 }
}

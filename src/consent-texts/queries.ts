import type { Insertable, Selectable } from 'kysely'
import type { Database, Db, Trx } from '../database/schema.js'
import { defaultConsentText } from './consent-text.js'

type Table = Database['consent_texts']
export type StoredConsentText = Omit<Selectable<Table>, 'organization_id'>

const columns = ['version', 'text', 'sha256', 'created_at', 'created_by'] as const

interface Filters {
  organization_id: string
  /** Only smaller versions; null for all. */
  before: number | null
  limit: number
}

/** The consent texts of an organization, the newest first, without the one of the service. */
export function selectConsentTexts(
  db: Db,
  { organization_id, before, limit }: Filters,
): Promise<StoredConsentText[]> {
  return db
    .selectFrom('consent_texts')
    .select(columns)
    .where('organization_id', '=', organization_id)
    .$if(before !== null, (query) => query.where('version', '<', before))
    .orderBy('version', 'desc')
    .limit(limit)
    .execute()
}

/** The consent text that participants are asked to agree to now. */
export async function selectCurrentText(db: Db, organization_id: string) {
  const [newest] = await selectConsentTexts(db, { organization_id, before: null, limit: 1 })
  return newest ?? defaultConsentText
}

/** The consent text of a version; undefined if there is none. */
export async function selectConsentText(db: Db, organization_id: string, version: number) {
  if (version === defaultConsentText.version) return defaultConsentText
  return db
    .selectFrom('consent_texts')
    .select(columns)
    .where('organization_id', '=', organization_id)
    .where('version', '=', version)
    .executeTakeFirst()
}

/** Inserts the next version. The organization is locked. */
export function insertConsentText(
  trx: Trx,
  consentText: Insertable<Table>,
): Promise<StoredConsentText> {
  return trx
    .insertInto('consent_texts')
    .values(consentText)
    .returning(columns)
    .executeTakeFirstOrThrow()
}

import { type Kysely, sql } from 'kysely'

type Tables = {
  email_registry: { email: string; organization_id: string; user_id: string }
}

/**
 * Stores the addresses of accounts in the form in which they are compared now. An address stays as it is if
 * another account has this form. One statement for each address: a cluster distributes them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const registry = db.withTables<Tables>()
  const unusual = await registry
    .selectFrom('email_registry')
    .selectAll()
    .where(sql<boolean>`email ~ '[^ -~]|^<|^mailto:|[;,>]$'`)
    .execute()
  for (const { email, ...account } of unusual) {
    const normal = normalFormOf(email)
    if (normal === email) continue
    const { numInsertedOrUpdatedRows = 0n } = await registry
      .insertInto('email_registry')
      .values({ email: normal, ...account })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    if (numInsertedOrUpdatedRows === 0n) continue
    await registry.deleteFrom('email_registry').where('email', '=', email).execute()
  }
}

export async function down(_db: Kysely<unknown>): Promise<void> {
  // The earlier forms are not known. Earlier versions read the new ones.
}

function normalFormOf(email: string): string {
  const invisible = /(?![\u200c\u200d])[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu
  const separated = email.replace(invisible, '').trim().replace(/[;,]$/, '').trim()
  const bare = separated.replace(/^<(.*)>$/, '$1').replace(/^mailto:/, '')
  const address = bare.trim().normalize('NFC').toLowerCase().normalize('NFC')
  const at = address.lastIndexOf('@') + 1
  return address.slice(0, at) + asciiOf(address.slice(at))
}

function asciiOf(domain: string): string {
  const address = `http://${domain}`
  return /[/?#%:\\[\]]/.test(domain) || !URL.canParse(address) ? domain : new URL(address).hostname
}

import type { TAP } from 'tap'
import { pick, randomFrom } from '../../src/blueprints/bundle/random.js'
import { loadCatalogue } from '../../src/blueprints/catalogue/load.js'
import type { Schema } from '../../src/contract.js'
import { jsonb } from '../../src/database/expressions.js'
import { createId } from '../../src/formats/identifiers.js'
import { quickSetupsOf } from '../helpers/blueprints.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { rowsOf } from '../helpers/walk.js'

const service = await startService(t)
const { call, db, registerAdmin } = service
const { apply, preview, rollback } = quickSetupsOf(service)
const { models } = loadCatalogue()

const excludedTables =
  /^(audit_events|unsealed_events|audit_seals|quick_setups|login_sessions|refresh_tokens) /
/** Returns every row except the audit trail, the history of setups, the logins and the caller. */
const rowsNow = async ({ organization_id, user_id }: Member) =>
  (await rowsOf(db, organization_id)).filter(
    (row) =>
      !excludedTables.test(row) &&
      !row.startsWith(`users {"organization_id":"${organization_id}","_id":"${user_id}"`),
  )
const detailsOf = async (
  { token }: Member,
  setup_id: string,
): Promise<Schema<'QuickSetupDetails'>> =>
  (await call('getQuickSetup', { token, params: { setup_id } })).body

type Random = ReturnType<typeof randomFrom>
type Undo = () => Promise<unknown>
const scenarios = ['hr_workforce', 'our own exercise']
const later = '2027-01-01T00:00:00.000Z'

function request(random: Random) {
  const fields = Object.entries(models).filter(() => random() < 0.3)
  const chosen = fields.map(([field, values]) => [
    field,
    pick(
      random,
      values.map((one) => one.value),
    ),
  ])
  return {
    scenario_type: pick(random, scenarios),
    team_size: pick(random, [1, 2, 3, 5, 6, 7, 12, 50]),
    overwrite_existing: random() < 0.75,
    metadata: { round: Math.floor(random() * 5) },
    ...Object.fromEntries(chosen),
  }
}

/** Changes by hand between two applications. Each returns a function that reverts it. */
const byHand: ((admin: Member, random: Random) => Promise<Undo>)[] = [
  async () => async () => {},
  async ({ organization_id }, random) => {
    const _id = createId()
    const channel_name = pick(random, ['people-team', 'weekly-status', 'our-own', 'managers'])
    const template = { organization_id, _id, scenario_name: pick(random, scenarios), channel_name }
    const insert = db
      .insertInto('channel_templates')
      .values({ ...template, message_templates: jsonb([]) })
      .onConflict((conflict) => conflict.doNothing())
    await insert.execute()
    return () => db.deleteFrom('channel_templates').where('_id', '=', _id).execute()
  },
  async ({ organization_id }) => {
    const brandings = () =>
      db.updateTable('brandings').where('organization_id', '=', organization_id)
    const before = await db
      .selectFrom('brandings')
      .select(['departments', 'updated_at'])
      .where('organization_id', '=', organization_id)
      .executeTakeFirstOrThrow()
    const departments = jsonb(['Stockroom', ...before.departments.slice(1)])
    await brandings().set({ departments, updated_at: later }).execute()
    return () =>
      brandings()
        .set({ ...before, departments: jsonb(before.departments) })
        .execute()
  },
  async ({ organization_id }) => {
    const before = await db
      .selectFrom('experiments')
      .select(['_id', 'name', 'control_session_ids', 'metadata', 'updated_at'])
      .where('organization_id', '=', organization_id)
      .orderBy('_id')
      .executeTakeFirst()
    if (!before) return async () => {}
    const { _id, metadata, ...columns } = before
    const update = db.updateTable('experiments').where('_id', '=', _id)
    const edited = { name: 'Ours', control_session_ids: ['s1'], updated_at: later }
    await update.set({ ...edited, metadata: jsonb({ ...metadata, reviewer: 'Grace' }) }).execute()
    return () => update.set({ ...columns, metadata: jsonb(metadata) }).execute()
  },
  async ({ organization_id }) => {
    const before = await db
      .selectFrom('users')
      .select(['_id', 'role', 'is_active', 'hobbies', 'last_seen', 'updated_at'])
      .where('organization_id', '=', organization_id)
      .where('is_bot', '=', true)
      .orderBy('_id', 'desc')
      .executeTakeFirst()
    if (!before) return async () => {}
    const { _id, hobbies, ...columns } = before
    const update = db.updateTable('users').where('_id', '=', _id)
    const edited = { is_active: false, last_seen: later, updated_at: later }
    await update.set({ ...edited, hobbies: jsonb(['chess']) }).execute()
    return () => update.set({ ...columns, hobbies: jsonb(hobbies) }).execute()
  },
]

t.test('rollbackQuickSetup', async (t) => {
  for (let seed = 0; seed < 6; seed += 1) {
    t.test(`restores every row after random earlier changes, seed ${seed}`, async (t) => {
      const random = randomFrom(`rollback ${seed}`)
      const admin = await registerAdmin()
      const done: { _id: string; rows: string[]; revert: Undo }[] = []
      for (let step = 0; step < 6; step += 1) {
        const revert = await pick(random, byHand)(admin, random)
        const rows = await rowsNow(admin)
        const body = request(random)
        const expected = await preview(admin, body)
        t.strictSame(differing(await rowsNow(admin), rows), [], 'a preview changes nothing')
        const result = await apply(admin, body)
        checkPreview(t, expected, result, await detailsOf(admin, result._id))
        done.push({ _id: result._id, rows, revert })
      }
      for (const { _id, rows, revert } of done.toReversed()) {
        const { status, body } = await rollback(admin, _id)
        t.equal(status, 200, JSON.stringify(body.reasons))
        t.strictSame(differing(await rowsNow(admin), rows), [])
        await revert()
      }
    })
  }
})

/** Returns the rows that are in only one of two lists, each cut to 200 characters. */
function differing(some: string[], others: string[]): string[] {
  const [one, other] = [new Set(some), new Set(others)]
  const different = [
    ...some.filter((row) => !other.has(row)),
    ...others.filter((row) => !one.has(row)),
  ]
  return different.map((row) => row.slice(0, 200))
}

const sorted = (list: object[]) => list.map((one) => JSON.stringify(one)).toSorted()

/** Checks that the application does what its preview says. */
function checkPreview(
  t: Pick<TAP, 'strictSame'>,
  expected: Schema<'QuickSetupPreview'>,
  result: Schema<'QuickSetupResult'>,
  details: Schema<'QuickSetupDetails'>,
) {
  const same = [
    'models',
    'created',
    'updated',
    'removed',
    'skipped',
    'warnings',
    'team_size',
  ] as const
  for (const field of same) t.strictSame(expected[field], result[field], field)
  t.strictSame(expected.would_skip, result.skipped)
  const named = (wanted: string) =>
    sorted(
      details.changes
        .filter(({ action }) => action === wanted)
        .map(({ kind, name, fields }) => ({
          kind,
          name,
          ...(wanted === 'replaced' && { fields }),
        })),
    )
  t.strictSame(sorted(expected.would_create), named('created'))
  t.strictSame(sorted(expected.would_update), named('replaced'))
  t.strictSame(sorted(expected.would_remove), named('removed'))
}

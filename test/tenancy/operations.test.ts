import { sealTrail } from '../../src/audit-events/sealing/seal.js'
import { selectChannelTemplates } from '../../src/channel-templates/queries.js'
import type { Operation } from '../../src/contract.js'
import { inScope, type Scope } from '../../src/database/scope.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import {
  exampleCall,
  type IdPlace,
  idPlaces,
  idsOf,
  operations,
  roles,
  rowsOf,
  unknownId,
} from '../helpers/walk.js'

const { call, db, registerAdmin, addMember } = await startService(t)

/** An organization with everything that the contract's examples can create. */
async function furnishOrganization(): Promise<string> {
  const { organization_id } = await registerAdmin()
  await addMember(organization_id, 'bot')
  const makers = operations.filter((one) => one.method === 'POST' && one.roles !== null)
  for (const operation of makers) {
    const ids = await idsOf(db, organization_id)
    if (idPlaces(operation).some((place) => place.in === 'path' && !ids.has(place.name))) continue
    const { token } = await addMember(organization_id, 'admin')
    const options = exampleCall(operation, ({ name }) => ids.get(name))
    const email = `guest@${organization_id}.example`
    // The participants of the example do not exist. Guests of `createSeatLinks` take part instead.
    const body = options.body && {
      ...options.body,
      ...('email' in options.body && { email }),
      ...('participants' in options.body && { participants: [] }),
      ...('rater_ids' in options.body && { rater_ids: [] }),
      ...('message_id' in options.body && { message_id: null }),
    }
    await call(operation.operationId, { ...options, body, token })
  }
  return organization_id
}

const home = await furnishOrganization()
const foreign = await furnishOrganization()
const homeIds = await idsOf(db, home)
const foreignIds = await idsOf(db, foreign)
// The service extends the chain outside of requests. Here it is complete before the tests start.
await sealTrail(db, foreign)
const foreignRows = await rowsOf(db, foreign)
const members = roles.filter((role) => role !== 'super_admin')

/** Some fields of a body or query that end in _id contain an id of the client, not of a row. */
const placesOf = (operation: Operation) =>
  idPlaces(operation).filter((place) => place.in === 'path' || homeIds.has(place.name))
const targeted = operations.filter((operation) => placesOf(operation).length > 0)

type Ids = (place: IdPlace) => string | undefined

async function answerTo(operation: Operation, token: string, ids: Ids) {
  const options = exampleCall(operation, ids)
  const { status, body } = await call(operation.operationId, { ...options, token })
  return { status, body }
}

/** The ids of the caller's organization, except for another id in one place. */
const withId =
  (id: string | undefined, place: IdPlace): Ids =>
  ({ name, in: part }) =>
    name === place.name && part === place.in ? id : homeIds.get(name)

t.test('A query without a scope finds no rows, even as a prepared statement', async (t) => {
  const findUsers = async (scope: Scope) =>
    inScope(db.selectFrom('users'), 'users', scope).select('organization_id').execute()
  const findTemplates = async (scope: Scope): Promise<{ organization_id: string }[]> =>
    JSON.parse(String((await selectChannelTemplates(db, scope, { scenario_name: null })).text))
  for (const find of [findUsers, findTemplates]) {
    const isOurs = (row: { organization_id: string }) => row.organization_id === home
    const ours = await find({ organization_id: home })
    t.ok(ours.length > 0 && ours.every(isOurs))
    // A page of all organizations may have fewer rows than ours if other rows are long.
    t.notOk((await find('every organization')).every(isOurs))
    // @ts-expect-error a scope names an organization
    t.strictSame(await find({}), [])
    // @ts-expect-error null is no organization
    t.strictSame(await find({ organization_id: null }), [])
    // @ts-expect-error a scope is required
    t.strictSame(await find(undefined).catch(() => []), [])
  }
})

t.test('Both organizations have a row for each id that an operation takes', async (t) => {
  t.ok(targeted.length >= 5)
  for (const { name } of targeted.flatMap(placesOf)) {
    t.ok(homeIds.has(name), `a ${name} of ours`)
    t.ok(foreignIds.has(name), `a ${name} of theirs`)
    t.not(homeIds.get(name), foreignIds.get(name))
  }
})

const rolesOf = ({ roles, apiKeyRoles }: (typeof operations)[number]) => [
  ...(roles ?? []),
  ...apiKeyRoles,
]

for (const operation of targeted) {
  t.test(`${operation.operationId} on rows of another organization`, async (t) => {
    for (const role of members) {
      const { token } = await addMember(home, role)
      const mayCall = rolesOf(operation).includes(role)

      for (const place of placesOf(operation)) {
        t.test(`answers ${role} as if ${place.name} did not exist`, async (t) => {
          const theirs = await answerTo(operation, token, withId(foreignIds.get(place.name), place))
          t.ok(theirs.status >= 400, 'is refused')
          if (place.in === 'path' || place.name === 'organization_id') {
            const hides = mayCall || (place.name === 'organization_id' && place.in !== 'body')
            t.equal(theirs.status, hides ? 404 : 403)
          }
          const others = [unknownId, 'not-a-uuid', '0', unknownId.toUpperCase(), `${unknownId}x`]
          for (const id of others) {
            t.strictSame(await answerTo(operation, token, withId(id, place)), theirs, id)
          }
        })
      }
      if (placesOf(operation).length > 1) {
        t.test(`answers ${role} as if none of the rows existed`, async (t) => {
          const theirs = await answerTo(operation, token, ({ name }) => foreignIds.get(name))
          t.ok(theirs.status >= 400, 'is refused')
          t.strictSame(await answerTo(operation, token, () => unknownId), theirs)
        })
      }
    }
  })
}

t.test('Nothing of the other organization has changed', async (t) => {
  t.strictSame(await rowsOf(db, foreign), foreignRows)
})

t.test('No answer to a member contains anything of another organization', async (t) => {
  const named = foreignRows.join('\n').match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? []
  const theirs = [...new Set(named)]
  t.ok(theirs.length > 10)

  for (const operation of operations.filter((one) => one.roles !== null)) {
    for (const role of members.filter((one) => rolesOf(operation).includes(one))) {
      t.test(`${operation.operationId} as ${role}`, async (t) => {
        const { token } = await addMember(home, role)
        const requests = [
          exampleCall(operation, ({ name }) => homeIds.get(name)),
          exampleCall(operation, (place) =>
            place.in === 'path' ? homeIds.get(place.name) : undefined,
          ),
        ]
        for (const options of requests) {
          const { body } = await call(operation.operationId, { ...options, token })
          const text = JSON.stringify(body)
          t.strictSame(
            theirs.filter((id) => text.includes(id)),
            [],
          )
        }
      })
    }
  }
})

t.test('A super_admin', async (t) => {
  const { token } = await addMember(home, 'super_admin')

  for (const operation of targeted) {
    for (const place of placesOf(operation)) {
      t.test(`may call ${operation.operationId} with a foreign ${place.name}`, async (t) => {
        const unknown = await answerTo(operation, token, withId(unknownId, place))
        if (place.in === 'path') t.equal(unknown.status, 404)
        t.strictSame(await answerTo(operation, token, withId('not-a-uuid', place)), unknown)
        const options = exampleCall(operation, ({ name }) => foreignIds.get(name))
        const real = await call(operation.operationId, { ...options, token })
        if (place.name === 'organization_id') {
          t.not(real.body.code, 'organization_not_found', 'finds the organization')
        }
      })
    }
  }
})

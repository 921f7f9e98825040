import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { by, openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { admin, ben, cast_ids, sessionWith } = await openWorkplace(service)
const { call } = service

type Json = Record<string, unknown>

/** The rules of the specification for the parts of a statement (xAPI 1.0.3, part 2). */
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const isIri = (text: unknown) => typeof text === 'string' && /^[a-z][a-z0-9+.-]*:\S+$/.test(text)
const isIrl = (text: unknown) => isIri(text) && /^https?:$/.test(new URL(String(text)).protocol)
const isLanguage = (tag: string) => Intl.getCanonicalLocales(tag).length === 1
const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
type Rule = (value: unknown) => boolean

/** Accepts an object with only these properties, each with its rule. `?` marks optional ones. */
const objectWith =
  (rules: Record<string, Rule>): Rule =>
  (value) =>
    isObject(value) &&
    Object.keys(value).every((name) => name in rules || `${name}?` in rules) &&
    Object.entries(rules).every(([name, rule]) => {
      const key = name.replace('?', '')
      return key in value ? rule(value[key]) : name.endsWith('?')
    })
const is =
  (...texts: string[]): Rule =>
  (value) =>
    texts.some((text) => text === value)
const isLanguageMap: Rule = (value) =>
  isObject(value) && Object.entries(value).every(([tag, text]) => isLanguage(tag) && isText(text))
const isUuid: Rule = (value) => uuid.test(String(value))
const isTimestamp: Rule = (value) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(String(value))
const isActivity = objectWith({
  objectType: is('Activity'),
  id: isIri,
  'definition?': objectWith({ 'name?': isLanguageMap, 'type?': isIri }),
})
const isStatement = objectWith({
  id: isUuid,
  actor: objectWith({
    objectType: is('Agent'),
    'name?': isText,
    // An actor has exactly one identifier.
    account: objectWith({ homePage: isIrl, name: isText }),
  }),
  verb: objectWith({ id: isIri, display: isLanguageMap }),
  object: isActivity,
  result: objectWith({ response: (value) => typeof value === 'string' }),
  context: objectWith({
    registration: isUuid,
    contextActivities: objectWith({
      parent: (value) => Array.isArray(value) && value.every(isActivity),
    }),
    'statement?': objectWith({ objectType: is('StatementRef'), id: isUuid }),
    extensions: (value) => isObject(value) && Object.keys(value).every(isIri),
  }),
  timestamp: isTimestamp,
})

t.test('exportSession as xAPI', async (t) => {
  const root = createId()
  const answer = by(ben, 'I will look into it.', { thread_id: root })
  const messages = [{ _id: root }, answer, { injected: true, thread_id: root }]
  const session_id = await sessionWith(messages)
  const options = { params: { session_id }, query: { format: 'xapi' } }
  const { headers, body } = await call('exportSession', { token: admin.token, ...options })

  t.test('writes valid statements', async (t) => {
    t.match(headers.get('content-type'), /^application\/json/)
    t.match(headers.get('content-disposition'), `filename="session-${session_id}.json"`)
    t.equal(body.length, 3)
    for (const statement of body) t.ok(isStatement(statement), JSON.stringify(statement))
    for (const [wrong, value] of [
      ['id', 'one'],
      ['actor', { objectType: 'Agent', name: 'Ben' }],
      ['verb', { id: 'commented', display: { en: 'commented' } }],
      ['timestamp', 'today'],
      ['note', 'not of the specification'],
    ] as const) {
      t.notOk(isStatement({ ...body[0], [wrong]: value }), `the rules refuse a wrong ${wrong}`)
    }
  })

  t.test('tells characters from people, at the address of the service', async (t) => {
    const where = (statements: Schema<'XapiStatement'>[]) =>
      statements.map(({ actor, context }) => {
        const { homePage } = actor.account as Json
        const extensions = context?.extensions as Json
        return [homePage, extensions['https://simulation.invalid/extensions/sender-kind']]
      })
    const at = (home: string) => {
      const people = [`${home}/organizations/${admin.organization_id}`, 'participant']
      const characters = [`${people[0]}/characters`, 'character']
      return [characters, people, characters]
    }
    t.strictSame(where(body), at('https://simulation.invalid'), 'the address is not known')
    const configured = await startService(t, { APP_URL: 'https://drills.acme.example/' })
    const { body: there } = await configured.call('exportSession', {
      token: admin.token,
      ...options,
    })
    t.strictSame(where(there), at('https://drills.acme.example'))
  })

  t.test('has the same id only for the same statement', async (t) => {
    const exported = async (names: string) => {
      const query = { format: 'xapi', names }
      const params = { session_id }
      return (await call('exportSession', { token: admin.token, params, query })).body
    }
    const named = await exported('true')
    t.strictSame(await exported('false'), body)
    t.strictSame(await exported('true'), named)
    for (const statement of named) t.ok(isStatement(statement), JSON.stringify(statement))
    const ids = [...body, ...named].map(({ id }) => id)
    t.equal(new Set(ids).size, 6, 'a statement with names has an id of its own')
    const extension = 'https://simulation.invalid/extensions/message-id'
    t.strictSame(
      named.map((one: { context: { extensions: Json } }) => one.context.extensions[extension]),
      body.map(({ id }: { id: string }) => id),
    )
    t.strictSame(named[1].context.statement.id, named[0].id, 'a reply names the named statement')
    t.equal(named[1].actor.account.name, ben.user_id)
  })

  t.test('shows who wrote what, where, when and in reply to what', async (t) => {
    const [first, second, third] = body
    const verb = (name: string) => ({ id: `http://adlnet.gov/expapi/verbs/${name}` })
    t.match(first, { id: root, verb: verb('commented'), result: { response: 'No. 0' } })
    t.equal(first.actor.account.name, cast_ids[0])
    t.ok(first.actor.name, 'a character has a name')
    t.notOk('statement' in first.context)
    t.match(second, {
      verb: verb('responded'),
      actor: { account: { name: /^p-/ } },
      result: { response: 'I will look into it.' },
      context: { registration: session_id, statement: { id: root } },
    })
    t.notOk('name' in second.actor, 'a participant has no name')
    t.equal(second.object.id, first.object.id)
    t.equal(second.context.contextActivities.parent[0].id, `urn:uuid:${session_id}`)
    const injected = 'https://simulation.invalid/extensions/injected'
    t.strictSame(
      [first, second, third].map((one) => one.context.extensions[injected]),
      [false, false, true],
    )
  })
})

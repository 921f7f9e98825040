import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from '../accounts.js'
import { getRequest, jsonRequest, send } from '../client.js'
import * as requests from '../requests.js'
import * as scenery from './scenery.js'
import { inTurns, repeating, type Storm, stormOf, type Target, type Turn } from './storm.js'
import { unreadStreams } from './unread-streams.js'

const words = 'can we look at the shift plan before the review? '
const wrongBytes = 1_000_000
/** A body of 1 MiB may have a few more values. */
const wrongValues = 52_000

const fill = (unit: string) => unit.repeat(Math.floor(wrongBytes / unit.length))
const manyOf = (item: string, valuesOfItem = 1) => Array(wrongValues / valuesOfItem).fill(item)
const names = Array.from({ length: wrongValues }, (_, i) => `"key_${1_000_000 + i}":1`)

/** Bodies just below the limits that are expensive to parse, to check or to refuse. */
const wrongBodies = [
  fill('['),
  fill('{},'),
  `{"first_name":"${fill('\\ud800')}"}`,
  `{${names}}`,
  `{${manyOf('"a":1')}}`,
  `{${manyOf('"__proto__":{"a":1}', 2)}}`,
  `{"a":[${manyOf('{}')}]}`,
  `{"a":[${manyOf('[[[[]]]]', 4)}]}`,
  `{"message_templates":[${manyOf('{}')}]}`,
  `{"events":[${manyOf('7')}]}`,
].map((body) => Buffer.from(body.padEnd(wrongBytes)))

const wrong = (path: string, token?: string) =>
  wrongBodies.map((body) => ({ ...jsonRequest('POST', path, {}, token), body }))
const brackets = Buffer.from(fill('['))

const bodyStorms: Storm[] = [
  repeating('1 MiB of [, no token', () => [
    { ...jsonRequest('POST', '/api/v1/auth/login', {}), body: brackets },
  ]),
  repeating('wrong bodies, no token', () => wrong('/api/v1/auth/register')),
  repeating('wrong bodies', (account) => [
    ...wrong(scenery.templatesPath, account.token),
    ...wrong(requests.recordAuditEvents(account, 0).path, account.token),
  ]),
]

/** About 8 MB of templates with messages of the usual length. */
const largeLibrary = (scenario_name: string, isSmall: boolean, text: string): scenery.Library => ({
  scenario_name,
  channels: isSmall ? 4 : 50,
  messages: 500,
  content: (number) => `Message ${number}: ${text.repeat(5)}`,
})

const templateStorms: Storm[] = [
  stormOf('imports of 3.4 MB', async (target) => {
    const [character] = await scenery.makeCharacters(target, 1)
    if (!character) throw new Error('The setup made no character')
    // In turns, so that each import changes every template and the storage does not grow.
    const imports = [words, 'shall we look at the figures of last week today? '].map((text) => {
      const library = largeLibrary('imported', target.isSmall, text)
      const some = { ...character, to: Math.min(library.channels, scenery.channelsOfPart) }
      const request = scenery.importOf(target.account, library, some)
      return { ...request, body: Buffer.from(request.body) }
    })
    return inTurns(imports)
  }),
  stormOf('lists of 8 MB', async (target) => {
    await scenery.storeLibrary(target, largeLibrary('listed', target.isSmall, words))
    const path = `${scenery.templatesPath}?scenario_name=listed`
    return inTurns([getRequest(target.account.token, path)])
  }),
]

const eventsOfRequest = 500

/** Records events, and waits until they are sealed. */
async function fillTrail({ url, account, isSmall }: Target): Promise<void> {
  const count = isSmall ? 4 : 40
  const recorded = requests.recordAuditEvents(account, 0, eventsOfRequest)
  for (let i = 0; i < count; i++) await send(url, recorded, 201)
  for (let waited = 0; waited < 30; waited++) {
    const { body } = await send(url, requests.verifyAuditTrail(account), 200)
    if (Object(body).sequence > count * eventsOfRequest) return
    await sleep(1_000)
  }
}

/** Messages that a session has from its start. */
const longHistory = ({ isSmall }: Target): scenery.Library => ({
  scenario_name: 'history',
  channels: 2,
  messages: isSmall ? 50 : 500,
  content: (number) => `Message ${number}: ${words.repeat(4)}`,
})

/** Two exports of each person may be under way, and ten of their organization. */
const exporters = ['ada', 'bo', 'cleo', 'dan', 'eve']

const trailStorms: Storm[] = [
  repeating('500 events a request', (account) => [
    requests.recordAuditEvents(account, 0, eventsOfRequest),
  ]),
  stormOf('exports', async (target) => {
    await fillTrail(target)
    await scenery.storeLibrary(target, longHistory(target))
    const session = await scenery.runSession(target, { scenario_name: 'history' })
    const admins = await Promise.all(exporters.map((name) => scenery.addAdmin(target, name)))
    return inTurns([
      ...admins.map((admin) => requests.exportAuditEvents(admin)),
      ...admins.map((admin) => scenery.exportSession(admin, session)),
    ])
  }),
  stormOf('verifications of the trail', async (target) => {
    await fillTrail(target)
    return inTurns([requests.verifyAuditTrail(target.account)])
  }),
]

/** Creates a session, starts it and ends it. */
const playing =
  ({ token }: Account, scenario_name: string): Turn =>
  async (ask) => {
    const session = { name: 'A session', scenario_name }
    const { status, text } = await ask(jsonRequest('POST', scenery.sessionsPath, session, token))
    if (status !== 201) return
    const path = `${scenery.sessionsPath}/${JSON.parse(text)._id}`
    await ask(jsonRequest('POST', `${path}/start`, {}, token))
    await ask(jsonRequest('POST', `${path}/end`, {}, token))
  }

const playingStorm = (name: string, libraryOf: (target: Target) => scenery.Library) =>
  stormOf(name, async (target) => {
    const library = libraryOf(target)
    await scenery.storeLibrary(target, library)
    return playing(target.account, library.scenario_name)
  })

/** Lines that all wait for an answer. */
const longPlan = ({ isSmall }: Target): scenery.Library => ({
  scenario_name: 'long',
  channels: isSmall ? 2 : 20,
  messages: 500,
  content: (number) => `Line ${number}: what do you think?`,
  metadata: (number) => ({
    beat: `beat-${number}`,
    drill_minute: 1 + (number % 80),
    expectation: { act: 'answer', deadline_minutes: 5 },
  }),
})

const posts = stormOf('posts into one session', async (target) => {
  const [character] = await scenery.makeCharacters(target, 6)
  const session = await scenery.runSession(target, { scenario_name: 'hr_workforce' })
  const as_character_id = character?._id ?? ''
  return (ask, number) => {
    const message = { as_character_id, client_message_id: `message-${number}`, content: words }
    return ask(scenery.postMessage(target.account, session, message))
  }
})

const teamSize = 50

/** The first storm is the one that the others are compared with. */
const storms: Storm[] = [
  repeating('cheap read', (account) => [requests.getBranding(account)]),
  ...bodyStorms,
  ...templateStorms,
  ...trailStorms,
  repeating('applies of quick setups', (account) => [requests.applyQuickSetup(account, teamSize)]),
  playingStorm('starts with history', longHistory),
  posts,
  unreadStreams,
  stormOf('registrations', () => (ask) => ask(requests.register())),
  playingStorm('plans of 10,000 lines', longPlan),
]

/** Selects the cheap reads and the storms whose names contain one of the parts. */
export function selectStorms(parts: readonly string[]): Storm[] {
  const isSelected = ({ name }: Storm) => parts.some((part) => name.includes(part))
  return storms.filter((storm, i) => i === 0 || parts.length === 0 || isSelected(storm))
}

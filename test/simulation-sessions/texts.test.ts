import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { addCharacter, replyOf } from '../helpers/templates.js'

const service = await startService(t)
const { db, registerAdmin } = service
const { addScenario, create, change, texts } = sessionsOf(service)
const admin = await registerAdmin()
const { organization_id } = admin

/** Starts a session of people with the given names. It posts the text immediately. */
async function startWith(names: string[], content: string) {
  const people = names.map((full_name) =>
    addCharacter(db, organization_id, { full_name, is_bot: false }),
  )
  const participants = (await Promise.all(people)).map((user_id) => ({ user_id }))
  const reply = (id: string) => replyOf(id, { content, offset_minutes: 0, metadata: {} })
  const { scenario_name } = await addScenario(admin, (id) => [
    { content, metadata: { drill_minute: 0 }, thread_replies: [reply(id)] },
  ])
  const session = await create(admin, { scenario_name, participants })
  return change('startSession', admin, session)
}

const length = (text = '') => Array.from(text).length

t.test('A prepared text', async (t) => {
  const team = ['Ada Okafor', 'Ben Li', 'Chen Wu', 'Dana Roe', 'Eli Fox']

  t.test('names up to three people, and counts the others', async (t) => {
    const cases: [count: number, expected: string][] = [
      [0, 'everyone: everyone'],
      [1, 'Ada: Ada Okafor'],
      [2, 'Ada and Ben: Ada Okafor and Ben Li'],
      [3, 'Ada, Ben, and Chen: Ada Okafor, Ben Li, and Chen Wu'],
      [4, 'Ada, Ben, Chen and 1 other: Ada Okafor, Ben Li, Chen Wu and 1 other'],
      [5, 'Ada, Ben, Chen and 2 others: Ada Okafor, Ben Li, Chen Wu and 2 others'],
    ]
    for (const [count, expected] of cases) {
      const content = '{{user.first_name}}: {{user.full_name}}'
      const session = await startWith(team.slice(0, count), content)
      t.strictSame(await texts(session), [expected, expected])
      t.strictSame(session.warnings, [])
    }
  })

  t.test('is cut at 10,000 characters, with a warning', async (t) => {
    const names = Array.from({ length: 100 }, (_, i) => `${i} ${'🗝️'.repeat(60)}`)
    const content = '{{user.full_name}}'.repeat(555)
    const session = await startWith(names, content)
    const posted = await texts(session)
    t.ok(posted.map(length).every((characters) => [9_999, 10_000].includes(characters)))
    t.ok(posted.every((text) => text.endsWith('…') && !text.includes('🗝…')))
    const message = 'With its names it is longer than 10,000 characters: the end is cut'
    t.match(session.warnings, [
      {
        field: 'home',
        value: Array.from(posted[0] ?? '')
          .slice(0, 80)
          .join(''),
        message,
      },
      { field: 'home', message },
    ])
  })

  t.test('of 10,000 characters is unchanged', async (t) => {
    const content = `${'🗝'.repeat(9_997)}{{user.first_name}}`
    const session = await startWith(['Ada Okafor'], content)
    t.strictSame(await texts(session), Array(2).fill(`${'🗝'.repeat(9_997)}Ada`))
    t.strictSame(session.warnings, [])
  })
})

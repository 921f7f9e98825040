import { createId } from '../../src/formats/identifiers.js'
import { refused } from '../helpers/faults.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { addCharacter, messageOf, replyOf } from '../helpers/templates.js'

const { call, db, registerAdmin, addMember } = await startService(t)
const admin = await registerAdmin()
const { organization_id } = admin
const marta = await addCharacter(db, organization_id, { full_name: 'Marta Keller' })
const jonas = await addCharacter(db, organization_id, { username: 'jonas.weber' })

async function create(message_templates: object[], scenario_name = 'hr_workforce') {
  const body = { channel_name: createId(), scenario_name, message_templates }
  return (await call('createChannelTemplate', { token: admin.token, body })).body._id
}
const preview = (template_id: string, body: object, { token }: Member = admin) =>
  call('previewChannelTemplate', { token, params: { template_id }, body })

interface Post {
  content: string
  post_at: string
}
const postsIn = (body: { messages: Post[] }) => body.messages.map(({ content }) => content)
const timesIn = (body: { messages: Post[] }) => body.messages.map(({ post_at }) => post_at)

const monday = { start_at: '2026-11-23T08:00:00Z' }

t.test('previewChannelTemplate', async (t) => {
  t.test('returns the messages with their times, in the order of the posts', async (t) => {
    const replies = [replyOf(marta, { offset_minutes: 90 }), replyOf(jonas, { offset_minutes: 5 })]
    const _id = await create([
      messageOf(marta, { content: 'later', offset_hours: 2, metadata: { beat: 'x' } }),
      messageOf(jonas, { content: 'now', thread_replies: replies }),
      messageOf(marta, { content: 'now too' }),
      messageOf(marta, { content: 'history', offset_hours: -24 }),
    ])
    const { status, body } = await preview(_id, { ...monday, time_zone: 'Europe/Berlin' })
    t.equal(status, 200)
    t.match(body, { template_id: _id, start_at: '2026-11-23T09:00:00+01:00' })
    t.match(body, { time_zone: 'Europe/Berlin', scenario_name: 'hr_workforce' })
    t.strictSame(postsIn(body), ['history', 'now', 'now too', 'later'])
    t.equal(body.messages[0].post_at, '2026-11-22T09:00:00+01:00')
    t.match(body.messages[3], { sender_name: 'Marta Keller', metadata: { beat: 'x' } })
    t.match(body.messages[1], { sender_character_id: jonas, sender_name: 'jonas.weber' })
    t.match(body.messages[1].thread_replies, [
      { sender_character_id: jonas, post_at: '2026-11-23T09:05:00+01:00' },
      { sender_character_id: marta, post_at: '2026-11-23T10:30:00+01:00' },
    ])
  })

  t.test('counts elapsed hours, also when clocks change', async (t) => {
    const _id = await create([0, 1, 2].map((offset_hours) => messageOf(marta, { offset_hours })))
    const berlin = 'Europe/Berlin'
    const cases: [start_at: string, time_zone: string, expected: string[]][] = [
      ['2027-03-28T01:30:00+01:00', berlin, ['01:30:00+01:00', '03:30:00+02:00', '04:30:00+02:00']],
      ['2026-10-25T01:30:00+02:00', berlin, ['01:30:00+02:00', '02:30:00+02:00', '02:30:00+01:00']],
      ['2026-11-01T05:30:00Z', 'America/New_York', ['01:30:00-04:00', '01:30:00-05:00']],
      ['2026-04-04T14:45:00Z', 'Australia/Lord_Howe', ['01:45:00+11:00', '02:15:00+10:30']],
      ['2026-06-01T00:00:00Z', 'Asia/Kathmandu', ['05:45:00+05:45', '06:45:00+05:45']],
      ['2026-06-01T00:00:00.999Z', 'America/St_Johns', ['21:30:00-02:30', '22:30:00-02:30']],
    ]
    for (const [start_at, time_zone, expected] of cases) {
      const { body } = await preview(_id, { start_at, time_zone })
      const times = timesIn(body).map((time) => time.slice(11))
      t.strictSame(times.slice(0, expected.length), expected, time_zone)
    }
    const { body } = await preview(_id, { start_at: '2026-12-31T23:30:00Z' })
    t.match(body, { time_zone: 'UTC', start_at: '2026-12-31T23:30:00+00:00' })
    t.equal(timesIn(body)[1], '2027-01-01T00:30:00+00:00')
  })

  t.test('replaces the name variables once', async (t) => {
    const names = ['user.first_name', ' user.full_name ', 'organization.company_name']
    const content = [...names, 'scenario.name'].map((name) => `{{${name}}}`).join('|')
    const _id = await create([messageOf(marta, { content: `${content} {one} {{` })])
    const own = await create([messageOf(marta, { content })], 'our {{user.first_name}}')
    const textFor = async (id: string, as: Member, user_id: string | null = null) =>
      postsIn((await preview(id, { ...monday, user_id }, as)).body)[0]
    t.match(await textFor(_id, admin), /^Ada\|Ada Okafor\|Acme\|[^|_]+ \{one\} \{\{$/)
    const trick = await addCharacter(db, organization_id, { full_name: '{{user.full_name}} $& X' })
    const expected = '{{user.full_name}}|{{user.full_name}} $& X|Acme|our {{user.first_name}}'
    t.equal(await textFor(own, admin, trick), expected)
    t.match(await textFor(own, admin, jonas), /^jonas\.weber\|jonas\.weber\|Acme\|/)
    const params = { organization_id }
    const body = { company_name: 'Acme $1 Ltd' }
    await call('updateBranding', { token: admin.token, params, body })
    t.match(await textFor(own, admin), 'Ada|Ada Okafor|Acme $1 Ltd|')
    const operator = await addMember((await registerAdmin()).organization_id, 'super_admin')
    t.match(await textFor(own, operator), `${operator.username}|${operator.username}|Acme $1 Ltd`)
  })

  t.test('cuts text that is too long after its names are filled in, and warns', async (t) => {
    const long = await addCharacter(db, organization_id, { full_name: 'x'.repeat(200) })
    const content = '{{user.full_name}}'.repeat(555)
    const thread_replies = [replyOf(jonas, { content })]
    const _id = await create([messageOf(marta, { content: 'Hello', thread_replies })])
    const { body } = await preview(_id, { ...monday, user_id: long })
    t.equal(body.messages[0].thread_replies[0].content, `${'x'.repeat(9_999)}…`)
    const message = 'With its names it is longer than 10,000 characters: the end is cut'
    t.strictSame(body.warnings, [{ field: body.channel_name, value: 'x'.repeat(80), message }])
    t.strictSame((await preview(_id, { ...monday, user_id: jonas })).body.warnings, [])
  })

  t.test('refuses an unknown time zone or user, and a start that is out of range', async (t) => {
    const _id = await create([messageOf(marta)])
    const place = (field: string) => `body ${field}`
    const zone = 'Value error, is no time zone of the IANA database'
    for (const time_zone of ['', 'Mars/Olympus', '+01:00', '-0100', 'Europe/Berlin\n', 'a b']) {
      const answer = await preview(_id, { ...monday, time_zone })
      refused(t, answer, [place('time_zone'), 'unknown_time_zone', zone])
    }
    const years = 'Value error, should be in the years from 2000 to 2999'
    for (const start_at of ['1999-12-31T23:59:59Z', '3000-01-01T00:00:00Z']) {
      refused(t, await preview(_id, { start_at }), [place('start_at'), 'year_out_of_range', years])
    }
    const foreign = (await registerAdmin()).user_id
    const user = 'Value error, is no user of this organization'
    for (const user_id of [foreign, createId(), 'no id']) {
      const answer = await preview(_id, { ...monday, user_id })
      refused(t, answer, [place('user_id'), 'unknown_user', user])
    }
  })

  t.test('shows a deleted sender without a name, and writes nothing', async (t) => {
    const leaving = await addCharacter(db, organization_id)
    const _id = await create([messageOf(leaving)])
    await db
      .deleteFrom('users')
      .where('organization_id', '=', organization_id)
      .where('_id', '=', leaving)
      .execute()
    const before = await auditEvents(call, admin)
    const { body } = await preview(_id, monday, await addMember(organization_id, 'bot'))
    t.match(body.messages, [{ sender_character_id: leaving, sender_name: null }])
    t.strictSame(await auditEvents(call, admin), before)
  })
})

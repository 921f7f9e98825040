import type { TAP } from 'tap'
import { refused } from '../helpers/faults.js'
import { t } from '../helpers/file.js'
import { endsOfLines, linesForEveryReader } from '../helpers/lines.js'
import { type Member, startService } from '../helpers/service.js'
import { addCharacter } from '../helpers/templates.js'

const { call, db, registerAdmin } = await startService(t)

interface Text {
  user: string
  message: string
  create_at: number
}
interface Line {
  type: string
  version?: number
  team?: { name: string; display_name: string; type: string }
  channel?: { team: string; name: string; display_name: string; type: string; purpose: string }
  user?: {
    username: string
    email: string
    first_name: string
    last_name: string
    teams: { name: string; roles: string; channels: { name: string; roles: string }[] }[]
  }
  post?: Text & { team: string; channel: string; replies: Text[] }
}

const order = ['version', 'team', 'channel', 'user', 'post']
const name = /^[a-z0-9]+([a-z\-0-9]+|(__)?)[a-z0-9]+$/
const reserved =
  /^(admin|api|channel|claim|error|files|help|landing|login|mfa|oauth|plug|post|signup|boards|playbooks)/
const length = (text: string) => [...text].length

/** Checks the lines of a file as Mattermost's importer does. */
function checkLines(
  t: Pick<TAP, 'equal' | 'match' | 'notMatch' | 'ok' | 'strictSame'>,
  lines: Line[],
): void {
  const teams = lines.flatMap(({ team }) => team ?? [])
  const channels = lines.flatMap(({ channel }) => channel ?? [])
  const users = lines.flatMap(({ user }) => user ?? [])
  const posts = lines.flatMap(({ post }) => post ?? [])
  t.strictSame(lines[0], { type: 'version', version: 1 })
  const places = lines.map(({ type }) => order.indexOf(type))
  t.strictSame(places, places.toSorted(), 'the lines are in the order of the format')
  for (const one of lines.slice(1)) t.strictSame(Object.keys(one), ['type', one.type])
  for (const team of teams) {
    t.match(team, { name, type: /^[OI]$/ })
    t.ok(team.name.length <= 64 && !reserved.test(team.name), team.name)
    t.ok(length(team.display_name) >= 1 && length(team.display_name) <= 64)
  }
  t.equal(new Set(channels.map((one) => one.name)).size, channels.length)
  for (const channel of channels) {
    t.match(channel, { team: teams[0]?.name, name, type: 'O' })
    t.ok(channel.name.length <= 64 && length(channel.display_name) <= 64)
    t.ok(length(channel.display_name) > 0 && length(channel.purpose) <= 250)
  }
  const has = (username: string, channel: string) =>
    users
      .find((one) => one.username === username)
      ?.teams[0]?.channels.some((one) => one.name === channel)
  for (const user of users) {
    t.match(user.username, /^[a-z0-9._-]{1,64}$/)
    t.notMatch(user.username, /^(all|channel|here|matterbot|system)$/)
    t.match(user.email, /^[^@\sA-Z]+@[^@\sA-Z]+$/)
    t.ok(user.email.length <= 128 && length(user.first_name) <= 64 && length(user.last_name) <= 64)
  }
  const all = posts.flatMap(({ channel, replies, ...post }) =>
    [post, ...replies].map(({ create_at }) => `${channel} ${create_at}`),
  )
  t.equal(new Set(all).size, all.length, 'a channel has one post or reply at a time')
  for (const { team, channel, replies, ...post } of posts) {
    t.equal(team, teams[0]?.name)
    for (const text of [post, ...replies]) {
      t.ok(has(text.user, channel), `${text.user} is in ${channel}`)
      t.ok(Number.isInteger(text.create_at) && text.create_at >= post.create_at)
      t.ok(length(text.message) <= 16_383)
    }
  }
}

async function registerWithTemplates(organization_name: string, templates: object[]) {
  const admin = await registerAdmin({ organization_name })
  const cast = {
    'marta.keller': 'Marta Keller',
    'jonas.weber': 'Jonas',
    all: `${'X'.repeat(99)} Y`,
  }
  for (const [username, full_name] of Object.entries(cast)) {
    await addCharacter(db, admin.organization_id, { username, full_name })
  }
  const body = { format: 'channel-templates', version: 1, templates }
  const { status } = await call('importChannelTemplates', { token: admin.token, body })
  t.equal(status, 200)
  return admin
}

async function exportOf({ token }: Member, query: Record<string, string> = {}) {
  const answer = await call('exportChannelTemplates', {
    token,
    query: { format: 'mattermost', ...query },
  })
  const texts = answer.status === 200 ? String(answer.body).split('\n').slice(0, -1) : []
  const lines: Line[] = texts.map((line) => JSON.parse(line))
  return { ...answer, lines }
}

const say = (sender_username: string, content: string, fields: object = {}) => ({
  sender_username,
  content,
  ...fields,
})

t.test('exportChannelTemplates', async (t) => {
  t.test('writes lines that Mattermost can load', async (t) => {
    const thread_replies = [
      say('jonas.weber', 'Second', { offset_minutes: 9 }),
      say('marta.keller', 'First', { offset_minutes: 3 }),
    ]
    const admin = await registerWithTemplates('Grüne Höfe GmbH & Co.', [
      {
        channel_name: 'People & Team',
        scenario_name: 'hr_workforce',
        message_templates: [
          say('marta.keller', 'Hello {{user.first_name}}', { thread_replies, offset_hours: 1 }),
          say('all', 'History', { offset_hours: -1 }),
        ],
      },
      { channel_name: 'people team', message_templates: [say('jonas.weber', `🗝️${endsOfLines}`)] },
      { channel_name: '人事', message_templates: [] },
      { channel_name: 'x', message_templates: [] },
      { channel_name: 'n'.repeat(200), message_templates: [] },
      { channel_name: 'off', is_active: false, message_templates: [say('all', 'no')] },
    ])
    const start_at = '2026-11-23T09:00:00+01:00'
    const { lines, headers, body } = await exportOf(admin, { start_at })
    checkLines(t, lines)
    t.equal(linesForEveryReader(body).length, lines.length)
    t.match(headers.get('content-type'), /^application\/x-ndjson/)
    t.match(headers.get('content-disposition'), /\.jsonl"$/)
    t.match(lines[1]?.team, { name: 'grune-hofe-gmbh-co', display_name: 'Grüne Höfe GmbH & Co.' })
    const channels = lines.flatMap(({ channel }) => channel?.name ?? [])
    const others = ['people-team', 'channel', 'channel-2', 'people-team-2']
    t.strictSame(channels, ['n'.repeat(64), ...others])
    const posts = lines.flatMap(({ post }) => post ?? [])
    const start = Date.parse(start_at)
    const hour = 3_600_000
    t.match(
      posts.filter(({ channel }) => channel === 'people-team-2'),
      [
        { user: 'all_', message: 'History', create_at: start - hour, replies: [] },
        {
          user: 'marta.keller',
          message: 'Hello Ada',
          create_at: start + hour,
          replies: [
            { user: 'marta.keller', message: 'First', create_at: start + hour + 180_000 },
            { user: 'jonas.weber', message: 'Second', create_at: start + hour + 540_000 },
          ],
        },
      ],
    )
    t.notMatch(JSON.stringify(lines), /"no"|"off"/, 'inactive templates are left out')
  })

  t.test('gives each post and reply of a channel its own time, in their order', async (t) => {
    const reply = (content: string, offset_minutes = 0) =>
      say('jonas.weber', content, { offset_minutes })
    const replies = [reply('Yes'), reply('Yes'), reply('Later', 1)]
    const admin = await registerWithTemplates('Acme', [
      {
        channel_name: 'aa',
        message_templates: [
          say('all', 'One', { thread_replies: replies }),
          say('all', 'Two', { thread_replies: [reply('Yes')] }),
          say('all', 'Two'),
          say('all', 'Three', { offset_hours: 1 }),
        ],
      },
      { channel_name: 'bb', message_templates: [say('all', 'Two'), say('all', 'Two')] },
    ])
    const start_at = '2026-11-23T09:00:00Z'
    const { lines } = await exportOf(admin, { start_at })
    checkLines(t, lines)
    const after = ({ create_at }: Text) => create_at - Date.parse(start_at)
    const posts = lines.flatMap(({ post }) => post ?? [])
    t.strictSame(
      posts.map((post) => [post.channel, post.message, after(post), post.replies.map(after)]),
      [
        ['aa', 'One', 0, [3, 4, 60_000]],
        ['aa', 'Two', 1, [5]],
        ['aa', 'Two', 2, []],
        ['aa', 'Three', 3_600_000, []],
        ['bb', 'Two', 0, []],
        ['bb', 'Two', 1, []],
      ],
    )
  })

  t.test('names a channel the same with and without the other scenarios', async (t) => {
    const admin = await registerWithTemplates('Acme', [
      { scenario_name: 'a', channel_name: 'lounge', message_templates: [say('all', 'Hello')] },
      { scenario_name: 'b', channel_name: 'lounge', message_templates: [say('all', 'Hello')] },
    ])
    const channelsOf = async (query: Record<string, string> = {}) => {
      const { lines } = await exportOf(admin, query)
      checkLines(t, lines)
      return lines.flatMap(({ post }) => post?.channel ?? [])
    }
    t.strictSame(await channelsOf(), ['lounge', 'lounge-2'])
    t.strictSame(await channelsOf({ scenario_name: 'a' }), ['lounge'])
    t.strictSame(await channelsOf({ scenario_name: 'b' }), ['lounge-2'])
  })

  t.test('starts on the next Monday at nine in the given time zone', async (t) => {
    const admin = await registerWithTemplates('Acme', [
      { channel_name: 'now', message_templates: [say('all', 'Hello')] },
    ])
    for (const time_zone of ['UTC', 'America/New_York', 'Pacific/Auckland']) {
      const { lines } = await exportOf(admin, { time_zone })
      const at = lines.at(-1)?.post?.create_at ?? 0
      const clock = new Intl.DateTimeFormat('en-GB', {
        timeZone: time_zone,
        weekday: 'long',
        hour: '2-digit',
        minute: '2-digit',
      })
      t.match(clock.format(at), /^Monday,? 09:00$/, time_zone)
      t.ok(at > Date.now() && at <= Date.now() + 7.1 * 86_400_000)
    }
  })

  t.test('cuts text that is too long for a message', async (t) => {
    const content = `${'{{user.full_name}} '.repeat(500)}end`
    const admin = await registerWithTemplates('Acme', [
      { channel_name: 'a', message_templates: [say('all', content)] },
    ])
    const full_name = 'Ü🗝️'.repeat(60)
    const params = { user_id: admin.user_id }
    await call('updateUser', { token: admin.token, params, body: { full_name } })
    const { lines } = await exportOf(admin)
    checkLines(t, lines)
    const message = lines.at(-1)?.post?.message ?? ''
    t.ok(length(message) <= 10_000)
    t.match(message, /(Ü|🗝️| )…$/u, 'no emoji is cut in two')
  })

  t.test('names the team as requested, but never by a name that Mattermost forbids', async (t) => {
    for (const organization_name of ['Helpful Hands', 'API', '人事', '---', 'Ä'.repeat(200)]) {
      const { lines } = await exportOf(await registerWithTemplates(organization_name, []))
      checkLines(t, lines)
    }
    const admin = await registerWithTemplates('Acme', [])
    t.equal((await exportOf(admin, { team: 'acme-2' })).lines[1]?.team?.name, 'acme-2')
    const msg = 'Value error, Mattermost has reserved names that begin so'
    refused(t, await exportOf(admin, { team: 'helpers' }), ['query team', 'reserved', msg])
    const pattern = "String should match pattern '^[a-z0-9]+(-[a-z0-9]+)*$'"
    const odd = await exportOf(admin, { team: 'Acme!' })
    refused(t, odd, ['query team', 'string_pattern_mismatch', pattern])
  })
})

import type { OperationId } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const { call, registerAdmin } = await startService(t)
const admin = await registerAdmin()
const { token, organization_id } = admin

const rename = async (full_name: string) =>
  call('updateUser', { token, params: { user_id: admin.user_id }, body: { full_name } })

const realNames = [
  "Sinéad O'Brien",
  'Nguyễn Thị Minh Khai',
  'José Núñez',
  'Anne-Marie Müller-Lüdenscheidt',
  ...[
    '李明',
    '山田 太郎',
    '山田\u3000太郎',
    '葛\u{E0100}城',
    '김민준',
    'Ольга Сергеевна',
    'Γιώργος',
  ],
  'محمد',
  'می\u200cخواهم',
  'שָׂרָה',
  'प्रिया',
  'क्\u200dष',
  'ශ්\u200dරී',
  'അവന്\u200d',
  'ஸ்ரீ',
  'ณัฐวุฒิ',
  'ខ្មែរ',
  'တင်',
  'ᠪᠠᠶᠠᠷ',
  'Zoe\u0308',
  "N'Ko ߒߞߏ",
  'Jean\u00a0Luc',
  'X Æ A-12',
  ...[
    'Team ❤\uFE0F',
    '👩\u200d💻 Ada',
    '👩🏽\u200d🚀',
    'No 1\uFE0F\u20E3',
    'Ada, PhD (she/her) & Co. №5',
  ],
]

const hiddenCodes = [
  ...[
    0x09, 0x0a, 0x0d, 0x1b, 0x7f, 0x85, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180e,
  ],
  ...[
    0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e,
  ],
  ...[
    0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0x2066, 0x2067, 0x2068, 0x2069, 0x2800, 0x3164, 0xfe00,
  ],
  0xfe0f,
  0xfeff,
  0xffa0,
  0xfff9,
  0xe0001,
  0xe0041,
  0xe007f,
  0xe0100,
]
const invisible = hiddenCodes.map((code) => String.fromCodePoint(code))

t.test('A name', async (t) => {
  t.test('can be any name of a person', async (t) => {
    for (const name of realNames) {
      const { status, body } = await rename(name)
      t.equal(status, 200, name)
      t.equal(body.full_name, name)
    }
  })

  t.test('has no invisible characters and none that change the text direction', async (t) => {
    for (const one of invisible) {
      const shown = `U+${one.codePointAt(0)?.toString(16)}`
      for (const name of [`Ada${one} Lovelace`, `${one}Ada`, `Ada${one}`]) {
        const { status, body } = await rename(name)
        t.equal(status, 422, shown)
        t.match(body.detail, [
          { loc: ['body', 'full_name'], type: 'hidden_characters', msg: /invisible/ },
        ])
      }
    }
  })

  t.test('has joiners only where they have an effect', async (t) => {
    for (const name of [
      'محمد\u200c',
      '\u200cمحمد',
      'می\u200c\u200cخواهم',
      'می\u200cAda',
      '💻\u200d',
    ]) {
      t.equal((await rename(name)).status, 422, encodeURI(name))
    }
  })

  t.test('follows these rules in every field', async (t) => {
    const bad = 'Ada\u202e'
    const params = { organization_id }
    const places: [OperationId, { params?: Record<string, string>; body: object }, string[]][] = [
      ['register', { body: {} }, ['organization_name', 'first_name', 'last_name']],
      ['inviteMember', { params, body: {} }, ['first_name', 'last_name']],
      ['updateOrganization', { params, body: {} }, ['name']],
      ['updateBranding', { params, body: {} }, ['company_name']],
      ['createSession', { body: {} }, ['name', 'scenario_name']],
      ['createChannelTemplate', { body: {} }, ['scenario_name', 'channel_name']],
      ['applyQuickSetup', { body: {} }, ['scenario_type']],
    ]
    for (const [operationId, options, fields] of places) {
      const body = { ...options.body, ...Object.fromEntries(fields.map((field) => [field, bad])) }
      const answer = await call(operationId, { token, ...options, body })
      const faults = answer.body.detail.filter(({ msg }: { msg: string }) => /invisible/.test(msg))
      const locs = faults.map(({ loc }: { loc: string[] }) => loc.join('.'))
      t.strictSame(locs.sort(), fields.map((field) => `body.${field}`).sort(), operationId)
    }
  })

  t.test('may be an address', async (t) => {
    for (const name of ['Booking.com', 'St.Gallen', 'https://acme.example', 'www.acme.example']) {
      t.equal((await rename(name)).status, 200, name)
    }
  })
})

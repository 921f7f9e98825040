import { Autolinker } from 'autolinker'
import { LinkifyIt } from 'linkify-it'
import { find } from 'linkifyjs'
import { invitationLetter } from '../../src/mail/invitation-letter.js'
import type { Letter, Sender } from '../../src/mail/letter.js'
import { passwordResetLetter } from '../../src/mail/password-reset-letter.js'
import { t } from '../helpers/file.js'

const url = 'https://app.example/here'
const linkify = new LinkifyIt({ fuzzyLink: true, fuzzyIP: true, urlAuth: true })

/** What readers of mails take for an address, by the rules of three of them. */
const linksIn = (text: string) => [
  ...(linkify.match(text) ?? []).map((match) => match.text),
  ...find(text).map(({ value }) => value),
  ...Autolinker.parse(text).map((match) => match.getMatchedText()),
]

const names = [
  'sign in at acme-payroll.com/verify',
  'acme.com',
  'Call us on +1 (900) 555-0123',
  'Call 9005550123',
  'Acme.COM.',
  'acme.co.uk',
  'www.acme.com',
  'http://acme.com',
  'HTTPS://ACME.COM:8080/a?b=c#d',
  'http://user:word@acme.com',
  'http://[::1]/',
  'http:／／acme．com',
  '//acme.com/x',
  'ftp://acme.com',
  'mailto:ada@acme.com',
  'ada@acme.com',
  'a+b@acme.com',
  'ada＠acme．com',
  'slack://channel',
  'file:///etc/hosts',
  'acme.com:443',
  '(acme.com)',
  '@acme.com',
  'Ada,acme.com',
  '日本acme.com',
  'ａｃｍｅ．ｃｏｍ',
  'www．acme。com',
  'acme｡com/verify',
  'http://例え。テスト',
  'acme․com',
  '⒈com',
  'münchen.de',
  'правда.рф',
  'xn--80aafi6cg.xn--p1ai',
  '192.168.0.1',
  '192.168.0.1:80/x',
  'readme.md',
]

/** The names in a letter as a person, an organization and the text of a logo. */
function* lettersWith(name: string): Iterable<Letter> {
  const person = { to: 'reader@example.com', full_name: name, url }
  const logo = { logo_url: 'https://acme.example/logo.svg', primary_color: '#0B5FFF' }
  const senders: Sender[] = [
    { name, company_name: null, ...logo },
    { name: 'Acme', company_name: name, ...logo },
  ]
  for (const sender of senders) {
    yield invitationLetter(sender, person)
    yield passwordResetLetter(sender, person)
  }
}

/** The texts of a letter that a person reads, without its own link. */
const textsOf = ({ subject, text, html }: Letter) => [
  subject,
  text.replace(url, ''),
  ...html.replace(/<[^>]*>/g, '\n').split('\n'),
  ...[...html.matchAll(/alt="([^"]*)"/g)].map(([, alt = '']) => alt),
]

const visible = (text: string) => text.replaceAll('\u2060', '')

t.test('No mail program makes a link of a name in a letter', async (t) => {
  for (const name of names) {
    const links = [...lettersWith(name)]
      .flatMap(textsOf)
      .flatMap((text) => [...linksIn(text), ...linksIn(text.normalize('NFKC'))])
    t.strictSame(links, [], name)
  }
  const linked = names.filter((name) => linksIn(name.normalize('NFKC')).length > 0)
  t.ok(linked.length > 25, 'the rules would make links of most of these names')
})

t.test('Readers see the names as they are', async (t) => {
  for (const name of ['Booking.com', 'St.Gallen', 'J.R.R. Tolkien', '株式会社。', 'ａ．ｂ']) {
    for (const { text, html } of lettersWith(name)) {
      t.match(visible(text), `Hello ${name}\n`)
      t.match(visible(html), `<p>Hello ${name}</p>`)
      t.match(visible(html), `alt="`)
    }
  }
})

t.test('Names without an address are written without any other character', async (t) => {
  for (const name of ["Zoë O'Brien-Ø", 'Söhne & Co', '王小明', 'मीरा']) {
    for (const { text, html } of lettersWith(name)) t.notMatch(text + html, '\u2060')
  }
})

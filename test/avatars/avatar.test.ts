import { createId, isId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const { app, call, request, url, registerAdmin } = await startService(t)

const avatar = (avatar_key: string, initials?: string) =>
  call('getAvatar', { params: { avatar_key }, ...(initials && { query: { initials } }) })

/** The relative luminance of a colour in the form `hsl(h,s%,l%)` (WCAG 2.2). */
function luminanceOf(color: string): number {
  const [hue = 0, saturation = 0, lightness = 0] = (color.match(/\d+/g) ?? []).map(Number)
  const range = (saturation / 100) * Math.min(lightness / 100, 1 - lightness / 100)
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12
    const value = lightness / 100 - range * Math.max(-1, Math.min(k - 3, 9 - k, 1))
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(0) + 0.7152 * channel(8) + 0.0722 * channel(4)
}

const background = (svg: string) => svg.match(/fill="(hsl\([^"]+\))"/)?.[1] ?? ''

t.test('getAvatar', async (t) => {
  t.test('draws a picture that pages of every origin may show and cache', async (t) => {
    const { body, headers } = await avatar(createId(), 'GL')
    t.match(body, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg".*<\/svg>$/)
    t.match(body, '>&#71;&#76;</text>')
    const wanted = {
      'content-type': 'image/svg+xml',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'content-length': `${body.length}`,
      'content-disposition': null,
      'set-cookie': null,
    }
    const head = await fetch(`${url}/api/v1/avatars/x?initials=GL`, { method: 'HEAD' })
    for (const [name, value] of Object.entries(wanted)) t.equal(headers.get(name), value, name)
    t.equal(head.headers.get('cache-control'), wanted['cache-control'])
    t.notMatch(body, /style|script|href|\bon\w+=/)
  })

  t.test('draws the same picture for the same address, and does not show who exists', async (t) => {
    const admin = await registerAdmin()
    const { dbOf } = app
    let asked = 0
    app.dbOf = (key) => {
      // The organizations of other tests may still be at work.
      if (!isId(key)) asked++
      return dbOf(key)
    }
    t.teardown(() => {
      app.dbOf = dbOf
    })
    const [own, again] = [await avatar(admin.user_id, 'AO'), await avatar(admin.user_id, 'AO')]
    const unknown = await avatar(createId(), 'AO')
    const withoutBackground = ({ body }: { body: string }) => body.replace(background(body), '')
    t.equal(own.body, again.body)
    t.equal(withoutBackground(unknown), withoutBackground(own))
    const names = [own, unknown].map(({ headers }) => [...headers.keys()])
    t.strictSame(names[0], names[1])
    for (const key of ['nobody', '..%2F..', '%F0%9F%98%80', 'x'.repeat(5_000), "'<b>&"]) {
      t.equal((await request(`/api/v1/avatars/${key}?initials=AO`)).status, 200, key.slice(0, 9))
    }
    t.equal(asked, 0, 'the database is not queried')
  })

  t.test('has many colours, and white text is readable on each of them', async (t) => {
    const colors = new Set<string>()
    for (let i = 0; i < 200; i++) colors.add(background((await avatar(`person ${i}`)).body))
    t.ok(colors.size > 100)
    for (const color of colors) t.ok(1.05 / (luminanceOf(color) + 0.05) >= 4.5, color)
  })

  t.test('draws letters of any script, and no text without letters', async (t) => {
    const id = createId()
    for (const initials of ['G', 'é', '山', 'علي'.slice(0, 2), 'Жß', '𐐀𐐁']) {
      const { status, body } = await avatar(id, initials)
      t.equal(status, 200, initials)
      const shown = Array.from(initials, (letter) => `&#${letter.codePointAt(0)};`).join('')
      t.match(body, `>${shown}</text>`)
    }
    for (const query of ['', '?initials=']) {
      const { status, body } = await request(`/api/v1/avatars/${id}${query}`)
      t.equal(status, 200)
      t.notMatch(body, /<text/)
    }
  })

  t.test('refuses anything but letters', async (t) => {
    for (const initials of [
      'GLX',
      '<b',
      '&',
      '"',
      "'",
      'A ',
      'A1',
      '😀',
      '𐐀𐐁𐐀',
      '\u202e',
      '\u0301',
    ]) {
      const { status, body } = await avatar(createId(), initials)
      t.equal(status, 422, initials)
      t.match(body.detail, [{ loc: ['query', 'initials'] }])
    }
    const query = { initials: ['A', 'B'] }
    const { body } = await call('getAvatar', { params: { avatar_key: 'x' }, query })
    t.match(body.detail, [{ loc: ['query', 'initials'], type: 'string_type' }])
  })
})

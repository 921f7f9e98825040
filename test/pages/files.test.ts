import { once } from 'node:events'
import http from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const { request, url } = await startService(t)

/** Returns the files that a page loads. */
async function filesOf(page: string): Promise<string[]> {
  const html = await (await fetch(`${url}/${page}`)).text()
  return [...html.matchAll(/"(\/pages\/[^"]+)"/g)].map(([, file = '']) => file)
}

/** Reads an answer as it was sent. `fetch` would decode it. */
async function readEncoded(address: string, coding: string) {
  const sent = http.get(address, { headers: { 'accept-encoding': coding } })
  const [answer] = (await once(sent, 'response')) as [http.IncomingMessage]
  return { headers: answer.headers, bytes: Buffer.concat(await answer.toArray()) }
}

const addresses = [
  'play',
  'lead',
  'accept-invitation',
  'reset-password',
  'forgot-password',
  'verify-email',
]
for (const page of addresses) {
  t.test(`/${page} loads only files of this service, and allows nothing inline`, async (t) => {
    const { status, headers } = await fetch(`${url}/${page}`)
    t.equal(status, 200)
    t.equal(headers.get('content-type'), 'text/html; charset=utf-8')
    t.equal(headers.get('cache-control'), 'no-cache', 'a new version appears at once')
    t.equal(headers.get('referrer-policy'), 'no-referrer')
    const policy = headers.get('content-security-policy') ?? ''
    const wanted = [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
    ]
    for (const directive of wanted) t.ok(policy.split('; ').includes(directive), directive)
    const files = await filesOf(page)
    t.ok(files.some((file) => file.endsWith('.js')) && files.some((file) => file.endsWith('.css')))
    for (const file of files) {
      const answer = await fetch(`${url}${file}`)
      t.equal(answer.status, 200, file)
      t.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      t.match(file, /-[A-Z0-9]{8}\.(js|css)$/, 'the name has the hash of the content')
    }
  })

  // Trainers sit at a desk: what counts is that participants on phones see their page soon.
  const most = page === 'lead' ? 64_000 : 60_000
  t.test(`/${page} is at most ${most / 1000} kB at the first load`, async (t) => {
    const paths = [`/${page}`, ...(await filesOf(page))]
    const sizes = paths.map(async (path) => {
      const { headers } = await request(path, {
        method: 'HEAD',
        headers: { 'accept-encoding': 'br' },
      })
      return Number(headers.get('content-length'))
    })
    const bytes = (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0)
    t.ok(bytes > 5_000 && bytes <= most, `${bytes} bytes`)
  })
}

t.test('Files of the pages are compressed beforehand', async (t) => {
  const [file = ''] = await filesOf('play')
  const plain = await (
    await fetch(`${url}${file}`, { headers: { 'accept-encoding': 'identity' } })
  ).text()
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync }
  for (const [coding, decode] of Object.entries(decoders)) {
    const { headers, bytes } = await readEncoded(`${url}${file}`, coding)
    t.equal(headers['content-encoding'], coding)
    t.equal(decode(bytes).toString(), plain, coding)
  }
})

t.test('The root address leads to the page for trainers', async (t) => {
  const { status, headers } = await request('/', { redirect: 'manual' })
  t.equal(status, 302)
  t.equal(headers.get('location'), '/lead')
})

t.test('A path that is no file of a page returns 404', async (t) => {
  for (const path of ['/pages/', '/pages/play.html', '/pages/%2e%2e%2fpackage.json']) {
    t.equal((await request(path, { redirect: 'manual' })).status, 404, path)
  }
})

t.test('PAGES=off leaves the pages out', async (t) => {
  const { request } = await startService(t, { PAGES: 'off' })
  const paths = addresses.map((page) => `/${page}`)
  for (const path of [...paths, ...(await filesOf('play')), ...(await filesOf('reset-password'))]) {
    t.equal((await request(path)).status, 404, path)
  }
  const { headers } = await request('/', { redirect: 'manual' })
  t.equal(headers.get('location'), '/docs')
})

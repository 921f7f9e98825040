import type { ServerResponse } from 'node:http'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'
import { contract, operations } from '../../helpers/walk.js'

const { app, request } = await startService(t)

t.test('The documentation', async (t) => {
  t.test('loads everything from this service, over HTTP as well as HTTPS', async (t) => {
    const policy = (await request('/docs')).headers.get('content-security-policy') ?? ''
    t.match(policy, "default-src 'none'")
    t.notMatch(policy, /https:|unsafe|upgrade/)
  })

  t.test('is built once for any number of readers', async (t) => {
    const sent: unknown[] = []
    app.server.prependListener('request', (_request, response: ServerResponse) => {
      const end = response.end.bind(response)
      response.end = (...given: unknown[]) => {
        sent.push(given[0])
        return Reflect.apply(end, response, given)
      }
    })
    const paths = ['/docs', '/docs/page.js', '/docs/page.css', '/docs/icon.svg']
    paths.push('/docs/json', '/docs/yaml', '/openapi.json', '/openapi.yaml')
    for (const path of paths) {
      const answers = [await request(path), await request(path)]
      const [first, second] = sent.splice(0)
      t.type(first, Buffer, path)
      t.equal(first, second, path)
      t.strictSame(answers[0]?.body, answers[1]?.body)
      const { status, headers } = await request(path, { method: 'HEAD' })
      t.equal(status, 200)
      t.equal(headers.get('content-length'), String((first as Buffer).length))
      t.equal(headers.get('content-type'), answers[0]?.headers.get('content-type'))
      sent.length = 0
    }
  })

  t.test('shows for every operation who may call it and what it records', async (t) => {
    const { paths } = (await request('/docs/json')).body
    for (const { operationId, path, method, roles, apiKeyRoles, auditEvents } of operations) {
      const { description } = paths[path][method.toLowerCase()]
      const lines = description.split('\n')
      const line = (title: string) => lines.find((one: string) => one.startsWith(`- **${title}:**`))
      const wanted = (roles ?? ['anyone, without a token']).map((role) => `${role}`)
      for (const role of wanted) t.match(line('Roles'), role, operationId)
      t.strictSame(line('With an API key')?.match(/\w+(?=`)/g) ?? [], apiKeyRoles)
      for (const { category, event_type } of auditEvents) {
        t.match(line('Audit events'), `\`${category}/${event_type}\``, operationId)
      }
    }
  })

  t.test('describes shared answers once', async (t) => {
    const { info, paths } = (await request('/docs/json')).body
    const section = info.description.split('<summary>Shared answers</summary>')[1]
    for (const { operationId, path, method } of operations) {
      const written = operationIn(contract.document.paths, path, method)
      const shown = operationIn(paths, path, method)
      const omitted = Object.keys(written.responses).filter((status) => !shown.responses[status])
      const line = shown.description
        .split('\n')
        .find((one) => one.startsWith('- **Also answers:**'))
      t.strictSame(line?.match(/\d+/g), omitted, `${operationId} lists the omitted answers`)
      for (const status of omitted) t.match(section, `- **${status}** `, operationId)
      t.notMatch(JSON.stringify(shown.responses), 'RateLimit-', operationId)
      t.match(Object.keys(shown.responses)[0], /^[23]/, `${operationId} keeps its own answers`)
    }
    for (const name of ['RateLimit-Limit', 'X-Ignored-Fields']) t.match(section, `- \`${name}\`: `)
  })

  t.test('starts with five lines, and folds the rest of its introduction', async (t) => {
    const { description } = (await request('/docs/json')).body.info
    const [start = '', ...folded] = description.split('<details>')
    t.match(start, '## Start here')
    t.strictSame(start.match(/^\d(?=\. )/gm), ['1', '2', '3', '4', '5'])
    for (const [, name] of start.matchAll(/`([a-z]+[A-Z]\w+)`/g)) {
      t.ok(
        operations.some(({ operationId }) => operationId === name),
        `${name} is an operation`,
      )
    }
    const titles = folded.map((one: string) => one.match(/^<summary>(.*)<\/summary>/)?.[1])
    t.strictSame(titles, ['Glossary', 'Conventions', 'Shared answers'])
  })
})

const { description: introduction } = contract.document.info as { description: string }
const sectionOf = (text: string, title: string) =>
  text.split(`## ${title}\n`)[1]?.split('\n## ')[0]?.trim() ?? ''

t.test('The glossary', async (t) => {
  const glossary = sectionOf(introduction, 'Glossary')
  t.test('has one line for each word', async (t) => {
    const words = [...glossary.matchAll(/^- \*\*([a-z ]+)\*\*: .*\.$/gm)].map(([, word]) => word)
    t.equal(words.length, glossary.split('\n').length)
    for (const word of [
      'login session',
      'session',
      'drill',
      'experiment',
      'arm',
      'scenario',
      'blueprint',
    ])
      t.ok(words.includes(word), word)
    for (const word of [
      'setup',
      'template',
      'channel',
      'conversation',
      'assignment',
      'place',
      'beat',
      'decision',
    ])
      t.ok(words.includes(word), word)
  })
})

t.test('The introduction and each PUT explain what the PUT changes', async (t) => {
  const [, paragraph = ''] = introduction.split('**What PUT means.**')
  const [everything = '', given = ''] =
    paragraph.split('\n\n')[0]?.split('change only the fields given:') ?? []
  for (const { operationId, path, method } of operations.filter((one) => one.method === 'PUT')) {
    const { description } = operationIn(contract.document.paths, path, method)
    const [, means] =
      description.match(/^This PUT (changes only the fields given|replaces )/m) ?? []
    const expected = means === 'replaces ' ? everything : given
    t.match(expected, `\`${operationId}\``, operationId)
  }
})

t.test('Every list with pages accepts a cursor', async (t) => {
  for (const { operationId, path, method } of operations) {
    const { responses } = operationIn(contract.document.paths, path, method)
    if (!JSON.stringify(responses).includes('#/components/headers/Link')) continue
    const { parameters } = operationIn((await request('/docs/json')).body.paths, path, method)
    t.match(JSON.stringify(parameters), /"cursor"|parameters\/cursor"/, operationId)
  }
})

t.test('Every file in CSV can begin with a byte order mark', async (t) => {
  const withCsv = operations.filter(({ path, method }) => {
    const { responses } = operationIn(contract.document.paths, path, method)
    return JSON.stringify(responses).includes('"text/csv"')
  })
  t.equal(withCsv.length, 3)
  const { paths } = (await request('/docs/json')).body
  for (const { operationId, path, method } of withCsv) {
    const { parameters } = operationIn(paths, path, method)
    t.match(JSON.stringify(parameters), /"bom"|parameters\/bom"/, operationId)
  }
})

type Shown = { description: string; parameters?: unknown; responses: Record<string, unknown> }
const operationIn = (paths: unknown, path: string, method: string) =>
  (paths as Record<string, Record<string, Shown>>)[path]?.[method.toLowerCase()] as Shown

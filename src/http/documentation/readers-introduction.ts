export interface AnswerObject {
  $ref?: string
  headers?: Record<string, unknown>
}
interface Example {
  $ref?: string
  value?: { code?: string }
}
interface SharedAnswer extends AnswerObject {
  description: string
  content?: { 'application/json'?: { examples?: Record<string, Example> } }
}
export interface Components {
  responses: Record<string, SharedAnswer>
  headers: Record<string, { description: string }>
  examples: Record<string, Example>
}

/** The answers that operations share. The introduction describes them once. */
export const sharedAnswers = new Map([
  ['BadRequest', '400'],
  ['Unauthorized', '401'],
  ['Forbidden', '403'],
  ['RequestTimeout', '408'],
  ['QuotaExceeded', '409'],
  ['PayloadTooLarge', '413'],
  ['UnsupportedMediaType', '415'],
  ['ValidationError', '422'],
  ['RateLimited', '429'],
  ['InternalServerError', '500'],
  ['Unavailable', '503'],
])
export const sharedHeaders = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'X-Ignored-Fields',
]

/** Adds a section on shared answers to the introduction, and folds all sections but the first. */
export function introductionFor(introduction: string, components: Components): string {
  const [start = '', first = '', ...others] =
    `${introduction}\n\n${sharedSection(components)}`.split(/^(?=## )/m)
  return [start, first, ...others.map(fold)].join('\n')
}

/** Describes the shared answers and headers. */
function sharedSection(shared: Components): string {
  const { responses, headers } = shared
  const answers = [...sharedAnswers].map(([name, status]) => {
    const { description = '', content } = responses[name] ?? {}
    const examples = Object.values(content?.['application/json']?.examples ?? {})
    const codes = examples.flatMap(({ $ref, value }) => {
      const shown = $ref ? shared.examples[nameIn($ref)]?.value : value
      return shown?.code ?? []
    })
    return `**${status}** ${[oneLine(description), code(codes)].filter(Boolean).join(' ')}`
  })
  const headerTexts = sharedHeaders.map(
    (name) => `\`${name}\`: ${oneLine(headers[name]?.description ?? '')}`,
  )
  return `## Shared answers\n\n${list([...answers, ...headerTexts])}`
}

/** Folds a section. A click on its title opens it. */
function fold(section: string): string {
  const [title = '', ...lines] = section.replace('## ', '').split('\n')
  return `<details><summary>${title}</summary>\n\n${lines.join('\n').trim()}\n\n</details>\n`
}

export const nameIn = ($ref: string) => $ref.split('/').at(-1) ?? ''
export const list = (items: string[]) => items.map((item) => `- ${item}`).join('\n')
export const code = (words: string[]) => words.map((word) => `\`${word}\``).join(', ')
const oneLine = (text: string) => text.trim().replaceAll('\n', ' ')

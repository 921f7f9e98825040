import type { Contract, Operation } from '../contract.js'

interface AuditEvent {
  category: string
  event_type: string
}
interface OperationObject {
  operationId: string
  description: string
  parameters?: unknown[]
  'x-audit-events'?: AuditEvent[]
}

/**
 * The contract as the page shows it: each operation says in its description what the page has no
 * place for, and has the parameters of its path itself, which a page opened at an operation does not
 * find. The only server, which is this one, needs no choice.
 */
export function documentForReaders({ document, operations }: Contract) {
  const { servers, ...shown } = structuredClone(document)
  const paths = shown.paths as Record<string, Record<string, unknown>>
  for (const operation of operations) {
    const { parameters = [], ...item } = paths[operation.path] as { parameters?: unknown[] }
    const object = Reflect.get(item, operation.method.toLowerCase()) as OperationObject
    const facts = [...callers(operation), ...records(object['x-audit-events'] ?? [])]
    object.description = `${object.description}\n\n${facts.map((fact) => `- ${fact}`).join('\n')}`
    object.parameters = [...parameters, ...(object.parameters ?? [])]
  }
  for (const item of Object.values(paths)) delete item.parameters
  const externalDocs = { url: '/openapi.yaml', description: 'The contract as a file' }
  return { ...shown, externalDocs }
}

const code = (words: string[]) => words.map((word) => `\`${word}\``).join(', ')

function callers({ roles, apiKeyRoles, allowsTemporaryPassword }: Operation): string[] {
  if (roles === null) return ['**Roles:** anybody, without a token']
  return [
    `**Roles:** ${code(roles)}${allowsTemporaryPassword ? ', also with a temporary password' : ''}`,
    ...(apiKeyRoles.length > 0 ? [`**With an API key:** ${code(apiKeyRoles)}`] : []),
  ]
}

function records(events: AuditEvent[]): string[] {
  const names = events.map(({ category, event_type }) => `${category}/${event_type}`)
  return names.length > 0 ? [`**Audit events:** ${code(names)}`] : []
}

/** The plugin's page has no viewport; and its dialog puts the cursor into the last field, not the first. */
const script = `
const viewport = document.createElement('meta')
viewport.name = 'viewport'
viewport.content = 'width=device-width, initial-scale=1'
document.head.append(viewport)
document.addEventListener('click', ({ target }) => {
  if (!target.closest('.authorize:not(.modal-btn), .authorization__btn')) return
  setTimeout(() => document.querySelector('.auth-container input')?.focus())
})
`

const style = `
.swagger-ui .info { margin: 30px 0; }
.swagger-ui .info :is(p, li), .swagger-ui .opblock-description :is(p, li) {
  max-width: 60em;
  margin-left: 0;
  line-height: 1.5;
}
.swagger-ui .info .main > .link, .swagger-ui .response-col_links { display: none; }
.swagger-ui .scheme-container { margin-bottom: 10px; padding: 15px 0; }
.swagger-ui .filter .operation-filter-input { width: 100%; max-width: none; }
.swagger-ui .opblock-description ul { margin: 10px 0; padding-left: 20px; }
.swagger-ui .opblock-description li { font-size: 14px; }
.swagger-ui .auth-container input { width: 100%; max-width: none; }
.swagger-ui td:nth-child(2) { overflow-wrap: anywhere; }
@media (max-width: 640px) {
  .swagger-ui .wrapper, .swagger-ui .opblock-tag { padding: 0 10px; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-summary-control { flex-wrap: wrap; }
  .swagger-ui .opblock-summary-operation-id { flex: 1; padding: 0 10px; text-align: left; }
  .swagger-ui .opblock-summary-path-description-wrapper { flex-basis: 100%; order: 1; padding: 0; }
  .swagger-ui .opblock-summary-path { max-width: 100%; }
  .swagger-ui table.parameters :is(tbody, tr, td) { display: block; width: auto; }
  .swagger-ui table.parameters thead { display: none; }
  .swagger-ui .parameters-col_description :is(input, select) { width: 100%; max-width: none; }
  .swagger-ui .responses-inner { padding: 10px; }
  .swagger-ui .response-col_status { min-width: 3em; }
}
`

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#0b5fff"/>
<g fill="#fff"><circle cx="11" cy="12" r="4"/><circle cx="22" cy="13" r="3"/>
<path d="M3 26a8 8 0 0 1 16 0zm14.500 0q.5-3-1-5a6 6 0 0 1 12 5z"/></g></svg>`

/** How the page looks, in files of its own: its policy allows nothing inline. */
export const theme = {
  title: 'Workplace simulation service',
  css: [{ filename: 'page.css', content: style }],
  js: [{ filename: 'page.js', content: script }],
  favicon: [
    { filename: 'icon.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: icon },
  ],
}

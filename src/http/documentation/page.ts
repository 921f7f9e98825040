import { readFileSync } from 'node:fs'
import type { Contract } from '../../contract.js'

interface Tag {
  name: string
  description: string
}
type Summaries = Record<string, Record<string, { summary: string }>>

/** Reads a file of the page. Scripts and styles are files, because the policy allows none inline. */
export const pageFile = (name: string) =>
  readFileSync(new URL(import.meta.resolve(`#page/${name}`)))

/** Returns the page, with its list of operations: it is visible before the script runs. */
export function pageOf(contract: Contract): string {
  const { title } = contract.document.info as { title: string }
  const tags = contract.document.tags as Tag[]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/static/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
<script src="/docs/static/swagger-ui-bundle.js" defer></script>
<script src="/docs/page.js" defer></script>
</head>
<body>
<nav aria-label="Operations">
<a class="title" href="#">${title}</a>
<button type="button" aria-expanded="false" aria-controls="tags">Operations</button>
<div id="tags">
<input type="search" placeholder="Find an operation" aria-label="Find an operation">
${tags.map((tag) => sectionOf(contract, tag)).join('\n')}
</div>
</nav>
<main id="page"></main>
</body>
</html>
`
}

/** Returns one tag of the list, with its operations. */
function sectionOf({ document, operations }: Contract, { name }: Tag): string {
  const paths = document.paths as Summaries
  const links = operations
    .filter(({ tag }) => tag === name)
    .map(({ operationId, method, path }) => {
      const summary = paths[path]?.[method.toLowerCase()]?.summary ?? operationId
      const label = `<span class="${method.toLowerCase()}">${method}</span> ${escaped(summary)}`
      const words = escaped(`${operationId} ${summary} ${method} ${path}`)
      return `<li><a href="#/${name}/${operationId}" title="${operationId}" data-words="${words}">${label}</a></li>`
    })
  return `<details name="tag"><summary>${name}</summary><ul>${links.join('')}</ul></details>`
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

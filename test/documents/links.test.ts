import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { documents, textOf } from '../helpers/documents.js'
import { t } from '../helpers/file.js'

const withoutBlocks = (text: string) => text.replace(/^ *```.*?^ *```$/gms, '')

/** The anchors that GitHub gives to the headings of a text. */
function anchorsOf(text: string): string[] {
  const headings = withoutBlocks(text).matchAll(/^#+ (.*)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function linksOf(text: string): string[] {
  const links = withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)
  return [...links].map(([, link = '']) => link).filter((link) => !/^\w+:/.test(link))
}

/** Whether the file of a link exists, and has its anchor. */
function targetExists(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path ? join(dirname(document), path) : document
  if (!existsSync(target)) return false
  if (anchor === undefined) return true
  return statSync(target).isFile() && anchorsOf(textOf(target)).includes(anchor)
}

t.test('Every link between documents leads to an existing file and heading', async (t) => {
  for (const document of documents) {
    for (const link of linksOf(textOf(document))) {
      t.ok(targetExists(document, link), `${document} links to ${link}`)
    }
  }
})

t.test('The README links to every page in docs', async (t) => {
  const links = linksOf(textOf('README.md')).map((link) => link.split('#')[0])
  for (const page of documents.filter((document) => document.startsWith('docs/'))) {
    t.ok(links.includes(page), page)
  }
})

t.test('The README has at most 280 lines', async (t) => {
  t.ok(textOf('README.md').trimEnd().split('\n').length <= 280)
})

import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { nodeOptions } from './node.js'

export interface Block {
  commands: string
  output: string
}

const run = promisify(execFile)
const separator = '=== next block ==='

const markdownIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))

/** The documents of the repository, as paths from its root. */
export const documents = [
  ...['README.md', 'CHANGELOG.md'],
  ...['.github', 'docs', 'src', 'scripts', 'migrations'].flatMap(markdownIn),
]

export const textOf = (document: string) => readFileSync(document, 'utf8')

/** The text below a second-level heading. */
export function sectionOf(document: string, title: string): string {
  const [, text = ''] = textOf(document).split(`\n## ${title}\n`)
  return text.split('\n## ')[0] ?? ''
}

/** The `bash` blocks of a document, each with the output that the document shows below it. */
export function blocksOf(document: string): Block[] {
  const pattern = /^```bash\n(.*?)^```\n(?:\n```\n(.*?)^```\n)?/gms
  const blocks = textOf(document).matchAll(pattern)
  return [...blocks].map(([, commands = '', output = '']) => ({ commands, output }))
}

/** The first block of the README's session: the address and the functions `pick` and `api`. */
export const functions = () => blocksOf('README.md').slice(0, 1)

/** Runs blocks of commands in one new shell, with `url` instead of the address in the README. */
export async function paste(url: string, commands: string[], options = {}) {
  const pasted = commands.map((block) => `${block}\necho '${separator}'`)
  const script = [`node() { command node ${nodeOptions.join(' ')} "$@"; }`, ...pasted].join('\n')
  const onThisService = script.replace('http://127.0.0.1:3000', url)
  const { stdout, stderr } = await run('bash', ['-c', onThisService], options)
  return { printed: stdout.split(`${separator}\n`), stderr }
}

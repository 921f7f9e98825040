import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const document = join(import.meta.dirname, '../../docs/frontend.md')

/** The blocks of the chapter on generated clients, in the order in which a reader pastes them. */
async function readBlocks() {
  const [, chapter = ''] = (await readFile(document, 'utf8')).split('\n## A generated client\n')
  const [text = ''] = chapter.split('\n## ')
  return [...text.matchAll(/^```(sh|json|ts)\n(.*?)^```$/gms)].map(([, language, block]) => ({
    language,
    block,
  }))
}

/** A folder of its own must not know where the npm that runs the tests has its packages. */
function environment() {
  const { npm_config_prefix, npm_config_local_prefix, ...env } = process.env
  return env
}

/** Does in an empty folder what docs/frontend.md says about a generated client. */
export async function followDocument(url) {
  const blocks = await readBlocks()
  const order = blocks.map(({ language }) => language)
  assert.deepEqual(order, ['sh', 'json', 'ts', 'ts', 'sh'], 'the blocks of docs/frontend.md')
  const [install, config, program, reader, start] = blocks.map(({ block }) =>
    block.replaceAll('http://127.0.0.1:3000', url),
  )
  const cwd = await mkdtemp(join(tmpdir(), 'generated-client-'))
  const paste = (commands) => run('bash', ['-ec', commands], { cwd, env: environment() })
  try {
    await paste(install)
    await writeFile(join(cwd, 'tsconfig.json'), config)
    await writeFile(join(cwd, 'drill.ts'), `${program}\n${reader}`)
    const { stdout } = await paste(start)
    assert.match(stdout, /^draft\nrunning\n1 \S.*\n2 \S.*\n3 \S.*\n$/s)
  } catch (error) {
    throw new Error(`docs/frontend.md: ${error.message}\n${error.stdout ?? ''}`)
  } finally {
    await rm(cwd, { recursive: true })
  }
}

import type { Test } from 'tap'
import { type Block, blocksOf, documents, functions, paste } from '../helpers/documents.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const { url } = await startService(t)

/**
 * The documents with commands, each with the blocks that a reader pastes first. The session of the
 * README runs twice on the same service, because a reader may paste it again.
 */
const walks: Record<string, { needed: Block[]; count: number }> = {
  'README.md': { needed: [], count: 5 },
  'docs/accounts.md': { needed: blocksOf('README.md'), count: 3 },
  'docs/drills.md': { needed: functions(), count: 16 },
  'src/blueprints/catalogue/README.md': { needed: [], count: 1 },
}

async function checkOutput(t: Test, blocks: Block[], replace = (text: string) => text) {
  const { printed, stderr } = await paste(
    url,
    blocks.map(({ commands }) => replace(commands)),
  )
  t.equal(stderr, '')
  for (const [index, { output }] of blocks.entries()) {
    t.equal(printed[index], output, `block ${index + 1}`)
  }
}

t.test('Every document with commands has a test', async (t) => {
  const withCommands = documents.filter((document) => blocksOf(document).length > 0)
  t.strictSame(withCommands.sort(), [...Object.keys(walks), 'docs/audit-trail.md'].sort())
})

for (const [document, { needed, count }] of Object.entries(walks)) {
  t.test(`The commands of ${document} print what it shows`, async (t) => {
    // The folder that a reader creates in the repository.
    const replace = (text: string) => text.replaceAll(/\bours\b/g, t.testdir())
    const blocks = blocksOf(document)
    t.equal(blocks.length, count, 'all are pasted')
    await checkOutput(t, [...needed, ...blocks], replace)
  })
}

t.test('pick prints the whole answer when the picked part is missing', async (t) => {
  const commands = "api /users | pick '.map((user) => user.email)'"
  const [first = { commands: '' }] = functions()
  const { printed, stderr } = await paste(url, [first.commands, commands])
  t.equal(printed.join(''), '')
  t.match(JSON.parse(stderr), { code: 'not_authenticated' })
})

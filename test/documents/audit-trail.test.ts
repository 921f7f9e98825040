import { blocksOf, functions, paste } from '../helpers/documents.js'
import { t } from '../helpers/file.js'
import { placeWithDatabase, start, stopEverything } from '../helpers/process.js'

t.teardown(stopEverything)

const skip = process.env.TEST_CITUS_URL && 'It is written for PostgreSQL and the embedded database'

t.test('The commands of docs/audit-trail.md print what it shows', { skip }, async (t) => {
  const place = await placeWithDatabase(t, { isMigrated: true })
  const service = start(place)
  const base = await service.address()
  const { pid } = service.process
  const blocks = blocksOf('docs/audit-trail.md')
  t.equal(blocks.length, 3, 'all are pasted')
  const stop = `
    until [ "$(api $EVENTS/verify | pick .sequence)" = 6 ]; do sleep 0.1; done
    kill ${pid}; while kill -0 ${pid}; do sleep 0.1; done 2>/dev/null`
  // The reader waits, and stops the service before the last block.
  const shown = [...functions(), ...blocks.slice(0, 2), { commands: stop, output: '' }]
  shown.push(...blocks.slice(2))
  const commands = shown.map((block) => block.commands)
  const env = { ...process.env, DATABASE_URL: '', ...place }
  const { printed } = await paste(base, commands, { env })
  for (const [index, { output }] of shown.entries()) {
    t.equal(printed[index], output, `block ${index + 1}`)
  }
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { t } from '../helpers/file.js'
import { command, placeWithDatabase, start, stopEverything } from '../helpers/process.js'
import { until } from '../helpers/until.js'

t.teardown(stopEverything)

const place = await placeWithDatabase(t, { isMigrated: true })

t.test('A signal to npm start reaches the service, and npm waits for it', async (t) => {
  const service = start(place, ['npm', 'start', '--ignore-scripts'])
  const pid = Number(await service.says(/"pid":(\d+)[^\n]*"Documentation/))
  t.teardown(() => isRunning(pid) && process.kill(pid, 'SIGKILL'))
  service.process.kill('SIGTERM')
  const [code, signal] = await once(service.process, 'exit')
  t.notOk(isRunning(pid))
  t.match({ code, signal }, { code: 0, signal: null })
  t.match(service.output(), /"stopped"/)
})

// The only program that gives a process a terminal. Debian and Fedora always have it.
const script = spawn('script', ['--version']).once('error', () => {})
const gaveUp = wait(60_000, [1], { ref: false })
const [hasScript] = await Promise.race([once(script, 'exit'), gaveUp]).catch(() => [1])

const skip = hasScript !== 0 && 'script is not installed'
t.test('A terminal', { skip }, async (t) => {
  const line = command.map((word) => `'${word}'`).join(' ')
  const service = start(place, ['script', '--quiet', '--command', line, '/dev/null'])
  const address = await service.says(/^Workplace simulation service \S+: (http:\S+)\r$/m)
  t.equal(await service.says(/^Documentation: (http:\S+)\r$/m), `${address}/docs`)
  t.match(service.output(), /^Database: .*PostgreSQL .* migrations/m, 'shows text')
  const pid = Number(await service.says(/"pid":(\d+)/))
  t.teardown(() => isRunning(pid) && process.kill(pid, 'SIGKILL'))
  service.process.kill('SIGKILL')
  await until(() => !isRunning(pid)).catch(() => {})
  t.notOk(isRunning(pid), 'and stops the service when it is closed')
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

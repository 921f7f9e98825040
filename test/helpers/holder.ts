import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Test } from 'tap'

/** Fast enough for tests, and slow enough for a busy machine. */
export const pace = { beatMs: 100, silenceMs: 3_000 }

const unshare = ['--pid', '--fork', '--kill-child', '--mount-proc']

/** Whether the tests may create pid namespaces on this machine. */
export const hasNamespaces = spawnSync('unshare', [...unshare, 'true']).status === 0

/** A process that claims the directory. In a separate namespace it has the pid 1. */
export function startHolder(t: Test, directory: string, { inNamespace = false } = {}) {
  const lock = JSON.stringify(
    new URL('../../src/database/embedded/directory-lock.js', import.meta.url),
  )
  const script = `
    const { lockDirectory } = await import(${lock})
    const lock = await lockDirectory(${JSON.stringify(directory)}, ${JSON.stringify(pace)})
    setInterval(() => lock.assertHeld(), 10)
    process.on('SIGUSR2', () => { while (true); })
    console.log('held')`
  const node = [process.execPath, '--input-type=module', '--eval', script]
  const [command = '', ...rest] = inNamespace ? ['unshare', ...unshare, ...node] : node
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  const output: string[] = []
  child.stdout.on('data', (chunk) => output.push(String(chunk)))
  child.stderr.on('data', (chunk) => output.push(String(chunk)))
  const exit = once(child, 'close').then(() => output.join(''))
  return {
    exit,
    /** The result of its claim: 'held', or the reason why not. */
    claim: Promise.race([
      once(child.stdout, 'data').then(() => 'held'),
      exit.then((text) => text || 'died without output'),
    ]),
    signal: (signal: NodeJS.Signals) => process.kill(pidOf(child, inNamespace), signal),
  }
}

function pidOf({ pid = 0 }: ChildProcess, inNamespace: boolean): number {
  return inNamespace ? Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')) : pid
}

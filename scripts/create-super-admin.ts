import { stdin, stdout } from 'node:process'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { createSuperAdmin } from '../src/auth/super-admin.js'
import { migrateDirectly } from '../src/database/migrate-directly.js'
import { openDatabase } from '../src/database/open.js'
import { createPasswords } from '../src/identity/password.js'
import { readConfig } from '../src/process/config.js'

/**
 * Asks on the terminal, where what is typed as an answer without echo is not shown; from a pipe the
 * answers are its lines.
 */
function openPrompt() {
  let isMuted = false
  const output = new Writable({
    write(chunk, encoding, done) {
      if (!isMuted) stdout.write(chunk, encoding)
      done()
    },
  })
  // One for all questions: closing it loses the lines that have already arrived.
  const terminal = createInterface({ input: stdin, output, terminal: stdin.isTTY })
  const lines = terminal[Symbol.asyncIterator]()

  async function ask(question: string, echo = true): Promise<string> {
    if (stdin.isTTY) {
      terminal.setPrompt(question)
      terminal.prompt()
      isMuted = !echo
    }
    const { value, done } = await lines.next()
    if (isMuted) stdout.write('\n')
    isMuted = false
    if (done) throw new Error('Nothing was answered.')
    return value
  }
  return { ask, close: () => terminal.close() }
}

async function readAccount(): Promise<{ email: string; password: string }> {
  const { SUPER_ADMIN_EMAIL: email, SUPER_ADMIN_PASSWORD: password } = process.env
  if (email && password) return { email, password }
  const { ask, close } = openPrompt()
  try {
    return {
      email: email || (await ask('E-mail: ')),
      password: password || (await ask('Password (8 to 128 characters): ', false)),
    }
  } finally {
    close()
  }
}

try {
  const config = readConfig()
  const account = await readAccount()
  const db = await openDatabase(config, (error) => console.error(error.message))
  try {
    await migrateDirectly(config, db)
    const { username, email } = await createSuperAdmin(db, await createPasswords(), account)
    console.log(`Created the super administrator ${username} (${email}).`)
  } finally {
    await db.destroy()
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

import { stdin, stdout } from 'node:process'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { createPasswords } from '../src/auth/password.js'
import { createSuperAdmin } from '../src/auth/super-admin.js'
import { readConfig } from '../src/config.js'
import { migrateToLatest } from '../src/database/migrate.js'
import { openDatabase } from '../src/database/open.js'

/** Asks on the terminal; what is typed as an answer without echo is not shown. */
async function ask(question: string, echo = true): Promise<string> {
  let isMuted = false
  const output = new Writable({
    write(chunk, encoding, done) {
      if (!isMuted) stdout.write(chunk, encoding)
      done()
    },
  })
  const terminal = createInterface({ input: stdin, output, terminal: stdin.isTTY })
  const answer = terminal.question(question)
  isMuted = !echo
  const text = await answer
  terminal.close()
  if (!echo) stdout.write('\n')
  return text
}

const { SUPER_ADMIN_EMAIL, SUPER_ADMIN_PASSWORD } = process.env
try {
  const config = readConfig()
  const email = SUPER_ADMIN_EMAIL || (await ask('E-mail: '))
  const password = SUPER_ADMIN_PASSWORD || (await ask('Password (8 to 128 characters): ', false))
  const db = await openDatabase(config, (error) => console.error(error.message))
  try {
    await migrateToLatest(db)
    const { username } = await createSuperAdmin(db, await createPasswords(), { email, password })
    console.log(`Created the super administrator ${username} (${email.trim()}).`)
  } finally {
    await db.destroy()
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { lockDirectory } from '../../src/database/embedded/directory-lock.js'
import { describeSelf } from '../../src/database/embedded/holder.js'
import { openDatabase } from '../../src/database/open.js'
import { copyDatabase } from '../helpers/embedded-template.js'
import { t } from '../helpers/file.js'
import { hasNamespaces, pace, startHolder } from '../helpers/holder.js'

const lockIn = (directory: string) => join(directory, 'lock')
const patient = { ...pace, silenceMs: 600_000 }

t.test('A data directory', async (t) => {
  t.test('is held by one process, which writes its pid into the lock', async (t) => {
    const directory = t.testdir()
    const lock = await lockDirectory(directory)
    t.match(JSON.parse(readFileSync(lockIn(directory), 'utf8')), { pid: process.pid })
    await lock.release()
    t.strictSame(readdirSync(directory), [])
  })

  t.test('is not locked twice, and can be locked again after its release', async (t) => {
    const directory = t.testdir()
    const lock = await lockDirectory(directory)
    await t.rejects(lockDirectory(directory), { message: `in use by process ${process.pid}` })
    await t.rejects(lockDirectory(join(directory, '.')), /DATA_DIR/)
    t.ok(existsSync(lockIn(directory)), 'and the holder keeps it')
    await lock.release()
    await (await lockDirectory(directory)).release()
  })

  t.test('is released by a database that has received no statement', async (t) => {
    const dataDir = t.testdir()
    await copyDatabase(dataDir, { isMigrated: false })
    const options = { databaseUrl: null, dataDir, databasePoolMax: 1 }
    await (await openDatabase(options, () => {})).destroy()
    t.notOk(existsSync(lockIn(dataDir)))
  })

  t.test('is refused while its holder lives, and free immediately afterwards', async (t) => {
    const directory = t.testdir()
    const holder = startHolder(t, directory)
    t.equal(await holder.claim, 'held')
    await t.rejects(lockDirectory(directory, patient), /in use by process \d+ on .*DATA_DIR/)
    holder.signal('SIGKILL')
    await holder.exit
    await (await lockDirectory(directory, patient)).release()
    t.strictSame(readdirSync(directory), [])
  })

  t.test('is free immediately when a new process has the pid of the dead holder', async (t) => {
    const directory = t.testdir({ lock: JSON.stringify({ ...describeSelf(), startedAt: '1' }) })
    await (await lockDirectory(directory, patient)).release()
  })

  t.test('is refused while a remote holder shows signs of life', async (t) => {
    const elsewhere = JSON.stringify({ ...describeSelf(), place: 'another machine', host: 'far' })
    const directory = t.testdir({ lock: elsewhere })
    // The remote clock is behind. Only a change of the file's time counts.
    let seconds = 1_000_000
    const heart = setInterval(() => utimesSync(lockIn(directory), 0, seconds++), pace.beatMs)
    await t.rejects(lockDirectory(directory, pace), /in use by process \d+ on far/)
    t.equal(readFileSync(lockIn(directory), 'utf8'), elsewhere)
    clearInterval(heart)
    await (await lockDirectory(directory, pace)).release()
    t.strictSame(readdirSync(directory), [])
  })

  t.test('is free after a while when its lock names no holder', async (t) => {
    const texts = ['', 'x', '1', 'null', '{}', '{"pid":"1"}']
    const directory = t.testdir(Object.fromEntries(texts.map((lock, i) => [`${i}`, { lock }])))
    const broken = texts.map(async (_, i) => {
      await (await lockDirectory(join(directory, `${i}`), pace)).release()
    })
    await Promise.all(broken)
  })

  t.test('goes to only one of the processes that find its holder silent', async (t) => {
    const dead = { ...describeSelf(), place: 'another machine' }
    const directory = t.testdir({ lock: JSON.stringify(dead) })
    const claims = Array.from({ length: 8 }, () => lockDirectory(directory, pace))
    const results = await Promise.allSettled(claims)
    const won = results.filter((result) => result.status === 'fulfilled')
    t.equal(won.length, 1)
    t.strictSame(readdirSync(directory), ['lock'])
    await won[0]?.value.release()
  })

  t.test('is left immediately by a holder that has lost its lock', async (t) => {
    for (const isBusy of [false, true]) {
      const directory = t.testdir()
      const holder = startHolder(t, directory)
      t.equal(await holder.claim, 'held')
      if (isBusy) holder.signal('SIGUSR2')
      writeFileSync(lockIn(directory), JSON.stringify(describeSelf()))
      t.match(await holder.exit, /may be in use by another process.*Stopped at once/)
    }
  })

  {
    const skip = !hasNamespaces && 'this machine gives no pid namespaces'
    t.test(
      'is refused to another container, and free when its holder is silent',
      { skip },
      async (t) => {
        const directory = t.testdir()
        const container = () => startHolder(t, directory, { inNamespace: true })
        const first = container()
        t.equal(await first.claim, 'held')
        t.match(JSON.parse(readFileSync(lockIn(directory), 'utf8')), { pid: 1 })
        t.match(await container().claim, /in use by process 1 on .*DATA_DIR/)

        first.signal('SIGSTOP')
        const second = container()
        t.equal(await second.claim, 'held')
        first.signal('SIGCONT')
        t.match(await first.exit, 'Stopped at once', 'a holder that wakes up too late stops')

        second.signal('SIGKILL')
        await second.exit
        const third = container()
        t.equal(await third.claim, 'held', 'also after a crash')
      },
    )
  }

  t.test('keeps its data on disk and refuses to be opened twice', async (t) => {
    const dataDir = t.testdir()
    await copyDatabase(dataDir, { isMigrated: false })
    const options = { databaseUrl: null, dataDir, databasePoolMax: 1 }
    const db = await openDatabase(options, () => {})
    await sql`create table notes (text text)`.execute(db)
    await sql`insert into notes values ('kept')`.execute(db)
    await t.rejects(
      openDatabase(options, () => {}),
      /in use by process/,
    )
    await db.destroy()
    t.notOk(existsSync(lockIn(dataDir)))

    const again = await openDatabase(options, () => {})
    const { rows } = await sql`select text from notes`.execute(again)
    t.strictSame(rows, [{ text: 'kept' }])
    await again.destroy()
  })

  t.test('is released when its database cannot be opened', async (t) => {
    const dataDir = t.testdir({ postgres: 'not a directory' })
    const options = { databaseUrl: null, dataDir, databasePoolMax: 1 }
    await t.rejects(openDatabase(options, () => {}))
    t.notOk(existsSync(lockIn(dataDir)))
  })
})

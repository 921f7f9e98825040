import { readFileSync, utimesSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { hasCode } from './holder.js'
import { endWithoutLock } from './lost-lock.js'

/** The lock that this thread keeps alive. It is a thread because a query may block the event loop. */
export interface HeartbeatOptions {
  directory: string
  file: string
  text: string
  beatMs: number
  silenceMs: number
}

const { directory, file, text, beatMs, silenceMs }: HeartbeatOptions = workerData
let beatAt = Date.now()

setInterval(() => {
  try {
    if (readFileSync(file, 'utf8') !== text) endWithoutLock(directory)
    const now = new Date()
    utimesSync(file, now, now)
    beatAt = now.getTime()
  } catch (error) {
    if (hasCode(error, 'ENOENT')) endWithoutLock(directory)
    // Others wait for `silenceMs` before they take over, so a disk may stall for half of it.
    if (Date.now() - beatAt > silenceMs / 2) endWithoutLock(directory, `its lock fails: ${error}`)
  }
}, beatMs)

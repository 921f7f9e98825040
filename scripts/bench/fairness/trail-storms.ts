import { setTimeout as sleep } from 'node:timers/promises'
import { jsonRequest } from '../client.js'
import { exportAuditEvents, recordAuditEvent, verifyAuditTrail } from '../requests.js'
import type { Account, Target } from './arena.js'
import type { Shot } from './flood.js'
import { sendShot } from './scenery.js'
import { longHistory, playedSession } from './session-storms.js'
import { type Storm, stormOf } from './storm.js'

const eventsOfRequest = 500

function recordMany(account: Account): Shot {
  const path = recordAuditEvent(account, 0).path
  const events = Array.from({ length: eventsOfRequest }, (_, number) => ({
    category: 'simulation',
    event_type: 'message_posted',
    case_id: `case-${number % 10}`,
    metadata: { words: number, text: 'What the runtime of a simulation wants to keep of it.' },
  }))
  return jsonRequest('POST', path, { events }, account.token)
}

/** Records events, and waits until they are in the trail. */
async function fillTrail({ url, stormer, isSmall }: Target): Promise<void> {
  const requests = isSmall ? 4 : 40
  for (let request = 0; request < requests; request++) {
    await sendShot(url, recordMany(stormer), 201)
  }
  for (let waited = 0; waited < 30; waited++) {
    const trail = await sendShot(url, verifyAuditTrail(stormer), 200)
    if ((trail as { sequence: number }).sequence > requests * eventsOfRequest) return
    await sleep(1_000)
  }
}

export const trailStorms: Storm[] = [
  stormOf('500 events a request', ({ stormer }) => {
    const shot = recordMany(stormer)
    return (ask) => ask(shot)
  }),
  stormOf('exports', async (target) => {
    await fillTrail(target)
    const { stormer } = target
    const { _id } = await playedSession(target, longHistory(target))
    const path = `/api/v1/simulation/sessions/${_id}/export`
    const shots = [exportAuditEvents(stormer), { ...exportAuditEvents(stormer), path }]
    return (ask, number) => ask(shots[number % shots.length] as Shot)
  }),
  stormOf('verifications of the trail', async (target) => {
    await fillTrail(target)
    const shot = verifyAuditTrail(target.stormer)
    return (ask) => ask(shot)
  }),
]

import { createId } from '../src/identifiers.js'
import { History } from '../src/session-messages/history.js'
import { Readers } from '../src/session-messages/readers.js'
import { Turns } from '../src/turns/turns.js'
import { t } from './helpers/file.js'
import { startService } from './helpers/service.js'
import { openStage } from './helpers/stage.js'

const service = await startService(t)
const { db } = service
const { organization_id } = await openStage(service)

const longAnswers = new Turns({ capacity: 2 })
const dbOf = () => db

/** A session before its first message, and one who reads it. */
const found = (_id: string, of = organization_id) => ({
  ...({ organization_id: of, _id, status: 'running', speed: 1 } as const),
  ...{ anchor_at: null, paused_at: null, ended_at: null, last_seq: 0 },
  now: new Date(0).toISOString(),
})
const reader = (of = organization_id) => ({
  ...({ organization_id: of, user_id: createId(), role: 'admin', kind: 'trainer' } as const),
  ...{ session_id: createId(), api_key_id: null, expiresAt: null, seesAll: true },
})

t.test(
  'A process keeps 4,000 streams: the organization with the most loses its oldest',
  async (t) => {
    const readers = new Readers(new History({ dbOf, longAnswers }))
    const add = (of: string) => readers.add(found(createId(), of), reader(of), 0)
    const small = Array.from({ length: 10 }, () => add('small'))
    const large = Array.from({ length: 3_990 }, () => add('large'))
    t.equal(readers.streams.size, 4_000)
    small.push(add('small'))
    large.push(add('large'))
    t.equal(readers.streams.size, 4_000)
    t.ok(small.every((stream) => readers.streams.has(stream)))
    t.strictSame(
      large.slice(0, 3).map((stream) => readers.streams.has(stream)),
      [false, false, true],
    )
  },
)

import { t } from '../helpers/file.js'
import { emptyPlace, person, send, start, stopEverything } from '../helpers/process.js'
import { skipEmbedded } from '../helpers/skips.js'
import { until } from '../helpers/until.js'

t.teardown(stopEverything)

const place = { ...(await emptyPlace(t)), JWT_SECRET: 'a-secret-for-tests-32-bytes-long' }

const writers = 32

t.test(
  'When one of two processes is killed while 32 clients write',
  { skip: skipEmbedded },
  async (t) => {
    const services = [start(place), start(place)]
    const bases = await Promise.all(services.map(({ address }) => address()))
    const [kept = '', killed = ''] = bases
    const { body: admin } = await send(kept, '/auth/register', person('ada@crash.example'))
    const { access_token: token, organization_id } = admin
    const trail = `/admin/simulation/audit-events/${organization_id}`

    const acknowledged: string[] = []
    let isOver = false
    /** Writes to one process, and to the other process after the first one is killed. */
    async function write(writer: number): Promise<void> {
      for (let round = 0; !isOver; round++) {
        const event = { category: 'simulation', event_type: 'written', metadata: { writer, round } }
        const base = bases[writer % 2] ?? kept
        const answer = await send(base, trail, { events: [event, event] }, token).catch(() => null)
        if (answer?.status === 201) acknowledged.push(...answer.body.event_ids)
        else if (base === killed) bases[1] = kept
      }
    }

    const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
    await until(async () => acknowledged.length > 1_000)
    services[1]?.process.kill('SIGKILL')
    const before = acknowledged.length
    await until(async () => acknowledged.length > before + 1_000)
    isOver = true
    await writing

    const events = new Set<string>()
    for (let path = `${trail}?category=simulation&limit=500`; path; ) {
      const response = await fetch(`${kept}/api/v1${path}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      for (const { _id } of (await response.json()) as { _id: string }[]) events.add(_id)
      path = /<\/api\/v1([^>]+)>/.exec(response.headers.get('link') ?? '')?.[1] ?? ''
    }

    t.test('no acknowledged event is lost', async (t) => {
      t.strictSame(
        acknowledged.filter((_id) => !events.has(_id)),
        [],
      )
    })

    t.test('all events are in one chain without a gap', async (t) => {
      const verify = async () => (await send(kept, `${trail}/verify`, undefined, token)).body
      // The registration left two events.
      await until(async () => (await verify()).sequence === events.size + 2)
      t.match(await verify(), { valid: true, events: events.size + 2, first_fault: null })
    })

    t.test('the remaining process logs no fault', async (t) => {
      const warnings = services[0]?.lines().filter(({ level }) => level >= 40) ?? []
      // On a slow machine, 32 clients may keep work from a connection for a while. It is tried again.
      const isWait = ({ err }: { err?: Error }) => err?.message.endsWith('connection timeout')
      t.strictSame(
        warnings.filter((line) => !isWait(line)),
        [],
      )
    })
  },
)

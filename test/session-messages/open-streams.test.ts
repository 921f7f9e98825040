import { OpenStreams } from '../../src/session-messages/stream/open-streams.js'
import { History } from '../../src/session-messages/stream/replay/history.js'
import { Turns } from '../../src/turns/turns.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { newReader, newSessionRow } from '../helpers/stream-readers.js'

const { db } = await startService(t)
const history = new History({ dbOf: () => db, longAnswers: new Turns({ capacity: 2 }) })

type Limits = ConstructorParameters<typeof OpenStreams>[1]

function openStreams(limits?: Limits) {
  const open = new OpenStreams(history, limits)
  /** Opens streams, each for another user. */
  const add = (count: number, organization: string, network?: string) =>
    Array.from({ length: count }, () =>
      open.add(newSessionRow(organization), newReader(organization, network), 0),
    )
  const kept = (streams: ReturnType<typeof add>) =>
    streams.map((stream) => open.streams.has(stream))
  const count = (organization: string) =>
    [...open.streams].filter((stream) => stream.organization_id === organization).length
  return { open, add, kept, count }
}

const few = { all: 40, network: 30, holder: 20, spared: 3 }

t.test('A process keeps 4,000 streams', async (t) => {
  const { open, add, kept } = openStreams()
  const small = add(10, 'small')
  const large = add(3_990, 'large')
  t.equal(open.streams.size, 4_000)
  small.push(...add(1, 'small'))
  large.push(...add(1, 'large'))
  t.equal(open.streams.size, 4_000)
  t.notOk(kept(small).includes(false))
  t.strictSame(kept(large.slice(0, 3)), [false, false, true], 'those of the largest end first')
})

t.test('200 organizations of one network', async (t) => {
  const { open, add, kept } = openStreams()
  const honest = add(45, 'honest', '198.51.100.1')
  for (let i = 0; i < 200; i++) add(20, `storm ${i}`, '203.0.113.1')
  t.equal(open.streams.size, 1_045, 'keep 1,000 streams together')
  t.notOk(kept(honest).includes(false), 'take none of another network')
})

t.test('200 organizations of many homes of one IPv6 site', async (t) => {
  const { open, add, kept } = openStreams()
  const honest = add(45, 'honest', '2001:db8:2::')
  for (let i = 0; i < 200; i++) add(20, `storm ${i}`, `2001:db8:1:${i.toString(16)}00::`)
  t.equal(open.streams.size, 1_045, 'keep 1,000 streams together')
  t.notOk(kept(honest).includes(false), 'take none of another site')
})

t.test('400 organizations of four networks', async (t) => {
  const { open, add, kept } = openStreams()
  const honest = add(45, 'honest', '198.51.100.1')
  for (let network = 1; network <= 4; network++) {
    for (let i = 0; i < 100; i++) add(10, `storm ${network} ${i}`, `203.0.113.${network}`)
  }
  const late = add(10, 'late', '198.51.100.2')
  t.equal(open.streams.size, 4_000)
  t.notOk(kept([...honest, ...late]).includes(false), 'take none of smaller networks')
})

t.test('Among streams of several networks, those of the largest group end', async (t) => {
  const { open, add, count } = openStreams(few)
  add(15, 'one network', '192.0.2.1')
  for (let i = 1; i <= 20; i++) add(1, 'many networks', `198.51.100.${i}`)
  add(10, 'new', '203.0.113.1')
  t.equal(open.streams.size, 40)
  t.strictSame(['one network', 'many networks', 'new'].map(count), [15, 15, 10])
})

t.test('An organization keeps its first streams', async (t) => {
  t.test('when others of its network have too many', async (t) => {
    const { add, kept, count } = openStreams(few)
    const first = add(3, 'first', '192.0.2.1')
    add(27, 'storm', '192.0.2.1')
    add(5, 'storm', '192.0.2.1')
    t.notOk(kept(first).includes(false))
    t.equal(count('storm'), 27)
  })

  t.test('when all organizations together have too many, also on this machine', async (t) => {
    const { open, add, kept } = openStreams(few)
    const first = add(3, 'first')
    for (let i = 0; i < 12; i++) add(4, `storm ${i}`)
    t.equal(open.streams.size, 40)
    t.notOk(kept(first).includes(false))
  })

  t.test('so that a new stream ends when there is no other', async (t) => {
    const { open, add, kept } = openStreams(few)
    for (let i = 0; i < 13; i++) add(3, `small ${i}`)
    const late = add(2, 'late')
    t.equal(open.streams.size, 40)
    t.strictSame(kept(late), [true, false])
    let text = ''
    for (const stream of late.slice(1)) for await (const piece of stream.events()) text += piece
    t.match(text, 'too_many_streams')
  })
})

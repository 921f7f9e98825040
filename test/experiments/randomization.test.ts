import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomFrom } from '../../scripts/seeded-random.js'
import { assign, type Block } from '../../src/experiments/assignment/assignment.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

/**
 * Computed by hand, so that the assignment can never change:
 *
 *     printf 'spring 2026\n%s' anna | sha256sum
 *
 * begins with a84f for anna, 5c07 björn, 1bf1 chidi; 575f dana, 3eb9 eve, 203f farid; e234 gül,
 * 3b1a hugo, 5ea3 石川; and with 06 for day shift, ca for night shift, 6d for no name.
 */
const known = {
  request: {
    seed: 'spring 2026',
    session_ids: ['石川', 'hugo', 'gül', 'farid', 'eve', 'dana', 'chidi', 'björn', 'anna'],
    blocks: [
      { name: 'night shift', session_ids: ['eve', 'dana', 'farid'] },
      { name: 'day shift', session_ids: ['chidi', 'björn', 'anna'] },
    ],
  },
  blocks: [
    // 06 is even: chidi and björn are control. Then control leads by one, and dana is intervention.
    { name: 'day shift', session_ids: ['anna', 'björn', 'chidi'] },
    { name: 'night shift', session_ids: ['dana', 'eve', 'farid'] },
    // The arms have three each, and 6d is odd.
    { name: null, session_ids: ['gül', 'hugo', '石川'] },
  ],
  control_session_ids: ['chidi', 'björn', 'farid', 'hugo'],
  intervention_session_ids: ['anna', 'eve', 'dana', '石川', 'gül'],
}

/** Always the same numbers, so that a failure can be repeated. */
const random = randomFrom('randomization')
/** Returns a whole number from `min` to below `max`. */
const randomInt = (min: number, max: number) => min + Math.floor(random() * (max - min))
const randomId = () => [random(), random()].map((number) => number.toString(16).slice(2)).join('-')

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

/** Blocks of random sizes, with `size` sessions in total. */
function randomBlocks(size: number): Block[] {
  const blocks: Block[] = []
  for (let left = size; left > 0; ) {
    const count = randomInt(1, Math.min(left, randomInt(1, size + 1)) + 1)
    const session_ids = Array.from({ length: count }, randomId)
    blocks.push({ name: `block ${randomId()}`, session_ids })
    left -= count
  }
  const [first, ...others] = blocks
  return first && randomInt(0, 2) ? [...others, { ...first, name: null }] : blocks
}

const sizes = [2, 3, 4, 5, 7, 1999, 2000]
for (let i = 0; i < 60; i++) sizes.push(randomInt(2, i < 50 ? 60 : 2001))

await t.test('An assignment', async (t) => {
  for (const size of sizes) {
    t.test(`of ${size} sessions is balanced, and the same for input in any order`, async (t) => {
      const blocks = randomBlocks(size)
      const seed = randomId()
      const arms = assign(seed, blocks)
      const control = new Set(arms.control_session_ids)
      const intervention = new Set(arms.intervention_session_ids)
      const all = blocks.flatMap(({ session_ids }) => session_ids)
      t.strictSame([...control, ...intervention].sort(), all.sort(), 'each session once')
      t.equal(arms.control_session_ids.length + arms.intervention_session_ids.length, size)
      t.ok(Math.abs(control.size - intervention.size) <= 1)
      for (const { session_ids } of blocks) {
        const inControl = session_ids.filter((session) => control.has(session)).length
        t.ok(Math.abs(session_ids.length - 2 * inControl) <= 1)
      }
      const disordered = shuffled(blocks).map(({ name, session_ids }) => ({
        name,
        session_ids: shuffled(session_ids),
      }))
      t.strictSame(assign(seed, disordered), arms)
    })
  }

  t.test('differs for another seed', async (t) => {
    const blocks = randomBlocks(200)
    t.notSame(assign('a', blocks), assign('b', blocks))
  })

  t.test('is unbiased', async (t) => {
    const session_ids = ['a', 'b', 'c']
    const draws = 3_000
    const counts = new Map(session_ids.map((session) => [session, 0]))
    for (let i = 0; i < draws; i++) {
      for (const session of assign(`seed ${i}`, [{ name: null, session_ids }])
        .control_session_ids) {
        counts.set(session, (counts.get(session) ?? 0) + 1)
      }
    }
    // The seeds are fixed, and so the counts are fixed.
    for (const count of counts.values()) t.ok(Math.abs(count / draws - 0.5) < 0.03)
  })
})

// Not before: a connection would wait, unused, until the long computations above are done.
const { call, registerAdmin } = await startService(t)
const { token } = await registerAdmin()

async function assigned(body: object) {
  const { body: draft } = await call('createExperiment', { token, body: { name: 'Drawn' } })
  const params = { experiment_id: draft._id }
  const { status, body: experiment } = await call('assignSessions', { token, params, body })
  t.equal(status, 200)
  return experiment
}

t.test('assignSessions', async (t) => {
  t.test('returns the arms that were computed by hand', async (t) => {
    const { blocks, control_session_ids, intervention_session_ids } = known
    t.match(await assigned(known.request), {
      assignment: { algorithm: 'permuted_block_randomization', seed: 'spring 2026' },
    })
    const { assignment, ...arms } = await assigned(known.request)
    t.strictSame(assignment.blocks, blocks)
    t.strictSame(arms.control_session_ids, control_session_ids)
    t.strictSame(arms.intervention_session_ids, intervention_session_ids)
  })

  t.test('sorts names by code point, beyond 16 bits as well', async (t) => {
    // In UTF-16 the second one comes before the first.
    const names = ['\u{ff5e}', '\u{1f600}']
    const blocks = names.toReversed().map((name) => ({ name, session_ids: [name] }))
    const { assignment } = await assigned({ session_ids: names, blocks })
    t.strictSame(
      assignment.blocks.map(({ name }: Block) => name),
      names,
    )
  })

  t.test('can be repeated outside the service', async (t) => {
    const dir = t.testdir()
    const file = join(dir, 'experiment.json')
    function repeat(text: string, isFile = true) {
      writeFileSync(file, text)
      const args = ['dist/scripts/assign.js', ...(isFile ? [file] : [])]
      const input = isFile ? '' : text
      return spawnSync(process.execPath, args, { encoding: 'utf8', input })
    }
    const drawn = await assigned({ session_ids: known.request.session_ids })
    const { control_session_ids, intervention_session_ids } = drawn
    for (const isFile of [true, false]) {
      const { status, stdout, stderr } = repeat(JSON.stringify(drawn), isFile)
      t.strictSame([status, stderr], [0, 'The arms are those of the experiment.\n'])
      t.strictSame(JSON.parse(stdout), { control_session_ids, intervention_session_ids })
    }
    const [moved, ...left] = control_session_ids
    const other = { control_session_ids: left, intervention_session_ids: [moved] }
    const seeded = await assigned(known.request)
    for (const tampered of [
      { ...drawn, ...other },
      { ...seeded, assignment: { ...seeded.assignment, seed: 'another' } },
    ]) {
      const { status, stdout, stderr } = repeat(JSON.stringify(tampered))
      t.strictSame([status, stderr], [1, 'The arms are OTHERS.\n'])
      t.ok(JSON.parse(stdout).control_session_ids)
    }
    for (const [text, message] of [
      ['', /^Not repeated: .*JSON/],
      ['[]', /no experiment/],
      ['null', /no experiment/],
      [JSON.stringify({ ...drawn, control_session_ids: [7] }), /no experiment/],
      [JSON.stringify({ ...drawn, assignment: null }), /not assigned at random/],
      [JSON.stringify({ ...drawn, assignment: { algorithm: 'dice' } }), /dice is not known/],
      [JSON.stringify({ ...drawn, assignment: { ...drawn.assignment, blocks: 7 } }), /incomplete/],
    ] as const) {
      const { status, stdout, stderr } = repeat(text)
      t.strictSame([status, stdout], [2, ''], text)
      t.match(stderr, message)
    }
  })
})

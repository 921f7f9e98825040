import type { Test } from 'tap'
import { compareInWorker } from '../../src/experiment-results/comparison/analysis.js'
import { compareArms } from '../../src/experiment-results/comparison/comparison.js'
import type { Unit } from '../../src/experiment-results/comparison/trial.js'
import { t } from '../helpers/file.js'

type Arms = readonly [intervention: readonly number[], control: readonly number[]]

const options = { alpha: 0.05, seed: 'spring' }
const compare = (units: Unit[], more = {}) => compareArms(units, { ...options, ...more })

function unitsOf([intervention, control]: Arms, block: string | null = null): Unit[] {
  const within = (arm: Unit['arm']) => (value: number) => ({ arm, block, value })
  return [...intervention.map(within('intervention')), ...control.map(within('control'))]
}
const inBlocks = (blocks: readonly Arms[]) => blocks.flatMap((block, i) => unitsOf(block, `${i}`))

const withValues = (units: Unit[], toValue: (unit: Unit) => number): Unit[] =>
  units.map((unit) => ({ ...unit, value: toValue(unit) }))
/** Subtracts an assumed effect from each value of the intervention. */
const without = (units: Unit[], added: number) =>
  withValues(units, ({ arm, value }) => value - (arm === 'intervention' ? added : 0))

function assertNear(t: Test, found: number | null | undefined, wanted: number, within = 1e-9) {
  const distance = Math.abs((found ?? Number.NaN) - wanted)
  t.ok(distance <= within * (1 + Math.abs(wanted)), `${found} is ${wanted}`)
}

/** Reads the values of the intervention, then a bar, then the values of the control. */
const arms = (text: string): Arms => {
  const [intervention = [], control = []] = text
    .split('|')
    .map((values) => values.trim().split(/ +/).map(Number))
  return [intervention, control]
}
const alike = arms('12.1 9.4 15.2 11.8 14 | 8.3 10.2 7.7 9.9 11.1')
const unequal = arms('5.2 7.9 6.1 9.4 | 3.3 4.8 5.6 2.9 6.4 4.1 3.7')
const ties = arms('3 4 4 5 5 2 | 1 2 2 3 1 4')
const skewed = arms('1.2 3.8 40.5 2.2 9.7 | 0.4 1.1 0.9 2.6 0.3 1.7 0.8 5.5')
const ten = arms('31 28 35 40 22 37 33 29 38 41 | 25 27 30 21 34 19 26 32 24 23')
const fours = [arms('14 11 | 9 8'), arms('24 29 | 21 22'), arms('33 38 | 31 30')]
const odd = [arms('7.5 9.1 6.8 | 5 6.2'), arms('15.3 12.9 | 11 13.3 10.4')]
const pairs = [3.1, 1.2, 4.4, 0.7, 2.9, -0.4, 3.6].map((d, i): Arms => [[10 * i + d], [10 * i]])

t.test('compareArms', async (t) => {
  t.test('agrees with SciPy and R about arms in one block', async (t) => {
    // SciPy 1.17.1: permutation_test(n_resamples=inf) of Welch's statistic, its p inverted by
    // bisection; ttest_ind(equal_var=False) and t.ppf for the effect. R 4.2.2 has the same p's:
    // coin 1.4-2, oneway_test(distribution = exact()) where n is equal, else combn() with t.test().
    for (const [values, allocations, p, low, high, effect] of [
      [alike, 252, 10 / 252, 0.1, 5.7, 3.859270636806591],
      [unequal, 330, 10 / 330, 0.4461994216, 5.1684725635, 3.7484876024317204],
      [ties, 924, 60 / 924, 0, 3, 2.097197918051373],
      [skewed, 1287, 84 / 1287, -0.2697579771, 24.6477500988, 27.494141642171574],
      [ten, 184_756, 0.009937430990062569, null, null, 7.1925862899498805],
    ] as const) {
      const found = compare(unitsOf(values))
      t.match(found, { method: 'permutation_exact', allocations, smallest_p: 2 / allocations })
      assertNear(t, found.p, p)
      assertNear(t, found.detectable_effect, effect)
      if (low === null || high === null) continue
      assertNear(t, found.interval?.[0], low, 2e-6)
      assertNear(t, found.interval?.[1], high, 2e-6)
    }
  })

  t.test('describes each arm', async (t) => {
    // NumPy 2.4.6: mean() and std(ddof=1).
    const { control, intervention, difference } = compare(unitsOf(unequal))
    t.match([control.n, intervention.n], [7, 4])
    assertNear(t, control.mean, 4.4)
    assertNear(t, control.sd, 1.267543556122103)
    assertNear(t, intervention.mean, 7.15)
    assertNear(t, intervention.sd, 1.8734993995195195)
    assertNear(t, difference, 2.75)
  })

  t.test('agrees with SciPy and R about arms in blocks', async (t) => {
    // All allocations by itertools, ttest_ind(equal_var=False) of the values minus their block's
    // mean (SciPy 1.17.1). For the first: oneway_test(value ~ arm | block) of R's coin 1.4-2.
    for (const [blocks, allocations, p, difference, low, high] of [
      [fours, 216, 2 / 216, 14 / 3, 2, 7.5],
      [odd, 100, 4 / 100, 71 / 30, 0.1, 4.5],
    ] as const) {
      const found = compare(inBlocks(blocks))
      t.match(found, { method: 'permutation_exact', allocations, smallest_p: 2 / allocations })
      assertNear(t, found.p, p)
      assertNear(t, found.difference, difference)
      assertNear(t, found.interval?.[0], low, 2e-6)
      assertNear(t, found.interval?.[1], high, 2e-6)
    }
    // The paired test: permutation_test(permutation_type='samples') of the differences and t.ppf.
    const paired = compare(inBlocks(pairs))
    assertNear(t, paired.p, 4 / 128)
    assertNear(t, paired.detectable_effect, 2.201411097597554)
  })

  t.test('ignores differences between blocks', async (t) => {
    const found = compare(inBlocks(odd))
    const apart = withValues(inBlocks(odd), ({ block, value }) => value + (block === '0' ? 0 : 1e6))
    assertNear(t, compare(apart).p, found.p ?? 0)
    assertNear(t, compare(apart).difference, found.difference ?? 0, 1e-8)
    const alone = [...inBlocks(odd), ...unitsOf([[99, 3], []], 'one arm')]
    const { p, interval, intervention } = compare(alone)
    t.match([p, interval, intervention.n], [found.p, found.interval, 7])
  })

  t.test('excludes from the interval exactly what the test rejects', async (t) => {
    for (const units of [
      ...[alike, unequal, ties, skewed].map((values) => unitsOf(values)),
      ...[fours, odd, pairs].map(inBlocks),
    ]) {
      const [low, high] = (compare(units).interval ?? []).map(Number)
      if (low === undefined || high === undefined) throw new Error('The interval has no ends')
      const pAt = (shift: number) => compare(without(units, shift)).p ?? 0
      const width = high - low
      t.ok(width > 0)
      for (const far of [1e-5, 0.01, 0.3, 10]) {
        t.ok(pAt(low - far * width) <= 0.05, `${far} below`)
        t.ok(pAt(high + far * width) <= 0.05, `${far} above`)
      }
      for (const share of [1e-5, 0.01, 0.2, 0.5, 0.8, 0.99, 1 - 1e-5]) {
        t.ok(pAt(low + share * width) > 0.05, `${share} between`)
      }
    }
  })

  t.test('returns the same result for swapped arms and for other scales', async (t) => {
    for (const units of [unitsOf(unequal), unitsOf(skewed), inBlocks(odd)]) {
      const { p, difference, interval } = compare(units)
      const other = { control: 'intervention', intervention: 'control' } as const
      const renamed = compare(units.map((unit) => ({ ...unit, arm: other[unit.arm] })))
      assertNear(t, renamed.p, p ?? 0)
      assertNear(t, renamed.difference, -(difference ?? 0))
      assertNear(t, renamed.interval?.[0], -(interval?.[1] ?? 0), 1e-5)
      for (const [factor, added] of [
        [1, 1e7],
        [3e-9, 0],
        [7e8, -5],
      ] as const) {
        const scaled = compare(withValues(units, ({ value }) => factor * value + added))
        assertNear(t, scaled.p, p ?? 0)
        assertNear(t, (scaled.difference ?? 0) / factor, difference ?? 0, 1e-6)
        assertNear(t, (scaled.interval?.[1] ?? 0) / factor, interval?.[1] ?? 0, 1e-5)
      }
    }
  })

  t.test('finds nothing when there is no effect', async (t) => {
    const same = compare(unitsOf([Array(5).fill(0.1), Array(5).fill(0.1)]))
    t.match(same, { p: 1, difference: 0, interval: [0, 0], detectable_effect: null })
  })

  t.test('finds an effect when the values of each arm are equal', async (t) => {
    const apart = compare(unitsOf([Array(5).fill(0.3), Array(5).fill(0.1)]))
    assertNear(t, apart.p, 2 / 252)
    assertNear(t, apart.interval?.[0], 0.2)
    t.equal(apart.interval?.[0], apart.interval?.[1])
  })

  t.test('has no interval for very small arms, and no p for arms without a test', async (t) => {
    // 3 against 3 are too few for any difference.
    const few = compare(
      unitsOf([
        [1e9, 2e9, 3e9],
        [1, 2, 3],
      ]),
    )
    t.match(few, { method: 'permutation_exact', allocations: 20, interval: null })
    assertNear(t, few.p, 0.1)
    t.match(few, { smallest_p: 0.1, detectable_effect: null })
    const untested = { method: 'not_testable', p: null, interval: null, allocations: 0 }
    t.match(compare(unitsOf([[4], [1, 2, 3]])), { ...untested, difference: 2, smallest_p: 0.5 })
    const none = { control: { n: 0, mean: null, sd: null }, difference: null, smallest_p: 1 }
    t.match(compare(unitsOf([[4, 5], []])), { ...untested, ...none })
    t.match(compare([]), { ...untested, ...none })
    const separate = inBlocks([
      [[4, 5], []],
      [[], [1, 2]],
    ])
    t.match(compare(separate), { ...untested, difference: null, control: { n: 2, mean: 1.5 } })
  })

  t.test('refuses values that are too large or not numbers', async (t) => {
    for (const value of [Number.NaN, Infinity, -1e76]) {
      t.throws(
        () =>
          compare(
            unitsOf([
              [value, 1],
              [2, 3],
            ]),
          ),
        RangeError,
      )
    }
  })

  t.test('accepts very large and very small numbers', async (t) => {
    for (const factor of [1e74, 1e-99]) {
      const { p, detectable_effect: effect } = compare(
        withValues(unitsOf(unequal), ({ value }) => value * factor),
      )
      assertNear(t, p, 10 / 330)
      assertNear(t, (effect ?? 0) / factor, 3.7484876024317204)
    }
  })

  t.test('draws allocations when there are too many', async (t) => {
    const sampled = { maxAllocations: 329 }
    for (const units of [unitsOf(unequal), inBlocks(fours)]) {
      const { p: exact, interval } = compare(units)
      const drawn = compare(units, { maxAllocations: 100 })
      t.match(drawn, { method: 'permutation_sampled', allocations: 20_000 })
      const error = 2 * Math.sqrt((exact ?? 0) / 2 / 20_000)
      t.ok(Math.abs((drawn.p ?? 0) - (exact ?? 0)) < 4 * error, `${drawn.p} is about ${exact}`)
      t.ok(Math.abs(Number(drawn.interval?.[0]) - Number(interval?.[0])) < 1)
    }
    t.equal(compare(unitsOf(unequal), { maxAllocations: 330 }).method, 'permutation_exact')
    const first = compare(unitsOf(unequal), sampled)
    t.strictSame(compare(unitsOf(unequal).reverse(), sampled), first, 'in any order')
    t.not(compare(unitsOf(unequal), { ...sampled, seed: 'autumn' }).p, first.p)
    // NumPy 2.4.6 drew from the key stream of `openssl enc -aes-256-ctr`, whose key is the SHA-256
    // of the seed: 295 of 20,001 allocations are as extreme. So the draws can never change.
    assertNear(t, first.p, (2 * 295) / 20_001)
    const far = unitsOf([ten[0].map((value) => value + 1000), ten[1]])
    assertNear(t, compare(far, { maxAllocations: 0, draws: 99 }).p, 2 / 100)
    t.equal(compare(far, { maxAllocations: 0, draws: 20 }).interval, null, 'too few draws')
  })
})

t.test('compareInWorker', async (t) => {
  const outcomes = [alike, ties].map((values, i) => ({ outcome: `${i}`, units: unitsOf(values) }))
  const found = await compareInWorker(outcomes, options)
  t.strictSame(
    found,
    outcomes.map(({ units }) => compare(units)),
  )
  t.strictSame(await compareInWorker([], options), [])
  const faulty = { ...options, maxAllocations: 0, draws: -1 }
  await t.rejects(compareInWorker(outcomes, faulty), RangeError)
})

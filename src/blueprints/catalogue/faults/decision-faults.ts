import { lapsed } from '../decisions/conditions.js'
import { type DecisionPoint, listOf, type Reply, type Scenario } from '../entries.js'
import { causesIn, neverReached } from './circle-faults.js'
import { type FileFault, fault, type LocatedLine } from './line-faults.js'
import { pathFaults } from './path-faults.js'

/** Finds decisions that cannot end as described, and conditions that do not fit the decisions. */
export function decisionFaults(scenario: Scenario, lines: LocatedLine[]): FileFault[] {
  const { decision_points = [], participant_roles = [] } = scenario
  const roles = participant_roles.map(({ role_key }) => role_key)
  const unknown = lines.flatMap((one) => unknownNames(one, decision_points))
  const found = [
    ...decision_points.flatMap((one, i) => optionFaults(one, roles, ['decision_points', i])),
    ...unknown,
    ...acknowledgementFaults(lines),
    ...loopFaults(lines),
  ]
  // The paths are known only when all names are.
  return found.length > 0 ? found : pathFaults(lines, decision_points)
}

type Path = FileFault['path']

function optionFaults(
  { options, decided_by, fallback_option }: DecisionPoint,
  roles: string[],
  path: Path,
): FileFault[] {
  const keys = options.map(({ option }) => option)
  return [
    ...keys.flatMap((key, i) => {
      const at = [...path, 'options', i, 'option']
      if (key === lapsed) return fault(at, `no option is called ${lapsed}: it means no decision`)
      return keys.indexOf(key) === i ? [] : fault(at, `another option has the key ${key}`)
    }),
    ...(keys.includes(fallback_option)
      ? []
      : fault([...path, 'fallback_option'], `${fallback_option} is no option of this decision`)),
    ...decided_by.flatMap((role, i) =>
      roles.includes(role)
        ? []
        : fault([...path, 'decided_by', i], `there is no participant role ${role}`),
    ),
  ]
}

/** Finds conditions of a line and its replies that name an unknown decision or option. */
function unknownNames({ line, path }: LocatedLine, decisions: DecisionPoint[]): FileFault[] {
  const posts: [Pick<Reply, 'only_if' | 'unless'>, Path][] = [
    [line, path],
    ...(line.replies ?? []).map((reply, i): [Reply, Path] => [reply, [...path, 'replies', i]]),
  ]
  return posts.flatMap(([post, at]) =>
    (['only_if', 'unless'] as const).flatMap((key) => {
      const given = post[key] ?? []
      return listOf(given).flatMap(({ beat, options }, i) => {
        const where = [...at, key, ...(Array.isArray(given) ? [i] : [])]
        const decision = decisions.find((one) => one.beat === beat)
        if (!decision) return fault([...where, 'beat'], `${beat} is no decision point`)
        const known = decision.options.map(({ option }) => option)
        return options.flatMap((option, at) =>
          known.includes(option)
            ? []
            : fault([...where, 'options', at], `${option} is no option of ${beat}`),
        )
      })
    }),
  )
}

/** Finds acknowledgements of no decision, or away from its question, and lines that come after one. */
function acknowledgementFaults(lines: LocatedLine[]): FileFault[] {
  const asks = lines.filter(({ line }) => line.kind === 'decision_point')
  const causesOf = causesIn(lines)
  return lines.flatMap((one) => {
    const { line, path } = one
    const early = causesOf(one).filter((cause) => cause.line.kind === 'acknowledgement')
    const found = early.flatMap(({ line: { id } }) =>
      fault(
        [...path, 'after'],
        `${id} is not said when the decision lapses: come after the question, with only_if`,
      ),
    )
    if (line.kind !== 'acknowledgement') return found
    const [condition, ...others] = listOf(line.only_if ?? [])
    if (!condition || others.length > 0) {
      return [...found, ...fault(path, 'an acknowledgement has one decision in only_if')]
    }
    const { beat } = condition
    const isAfterAsk = causesOf(one).some(
      (cause) => asks.includes(cause) && cause.line.beat === beat,
    )
    return isAfterAsk
      ? found
      : [...found, ...fault([...path, 'after'], `it comes after the line that asks ${beat}`)]
  })
}

/** Finds lines that depend on a decision which is asked, or lapses, only after them. */
function loopFaults(lines: LocatedLine[]): FileFault[] {
  const causesOf = causesIn(lines)
  const lost = neverReached(lines, causesOf)
  const ofDecision = (beat: string) =>
    lines.filter(
      ({ line: { kind, ...line } }) =>
        (kind === 'decision_point' && line.beat === beat) || line.fallback_for === beat,
    )
  const withDecisions = (one: LocatedLine) => [
    ...causesOf(one),
    ...[...listOf(one.line.only_if ?? []), ...listOf(one.line.unless ?? [])].flatMap(({ beat }) =>
      ofDecision(beat).filter((other) => other !== one),
    ),
  ]
  return neverReached(lines, withDecisions)
    .filter((one) => !lost.includes(one))
    .flatMap(({ line, path }) => {
      const keys = (['only_if', 'unless'] as const).filter((key) => line[key])
      return keys.flatMap((key) =>
        fault([...path, key], `${line.id} depends on a decision that waits for ${line.id}`),
      )
    })
}

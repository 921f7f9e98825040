import type { Arm } from '../../src/blueprints/catalogue/entries.js'

/** What is wrong, and where. */
export interface Finding {
  rule: string
  scenario?: string
  models?: string
  size?: number
  arm?: Arm
  channel?: string
  line?: string
  message: string
}

export type Found = Omit<Finding, 'rule'>

/** A figure beside its bound, and what breaks the bound. */
export interface Measured {
  rule: string
  bound: string
  figure: string
  findings: Finding[]
}

export const percent = (share: number) => `${(100 * share).toFixed(1)} %`

/** A rule that nothing may break. */
export function none(rule: string, found: Found[]): Measured {
  const findings = found.map((one) => ({ rule, ...one }))
  return { rule, bound: 'none', figure: String(findings.length), findings }
}

/** A figure that must lie between two others. */
export function within(
  rule: string,
  figure: number,
  [least, most]: [number, number],
  about: Omit<Found, 'message'>,
): Measured {
  const bound = most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`
  const isWithin = figure >= least && figure <= most
  const message = `${figure} where ${bound} is asked for`
  const findings = isWithin ? [] : [{ rule, ...about, message }]
  return { rule, bound, figure: String(figure), findings }
}

/** The largest of some shares beside its bound; each above it is a finding. */
export function largest(
  rule: string,
  bound: number,
  shares: { share: number; about: Found }[],
): Measured {
  const figure = Math.max(0, ...shares.map(({ share }) => share))
  const findings = shares
    .filter(({ share }) => share > bound)
    .map(({ share, about }) => ({ rule, ...about, message: `${percent(share)} ${about.message}` }))
  return { rule, bound: `at most ${percent(bound)}`, figure: percent(figure), findings }
}

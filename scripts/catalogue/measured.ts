import type { Arm } from '../../src/blueprints/catalogue/entries.js'

/** A broken rule, and where it is broken. */
export interface Finding {
  rule: string
  scenario?: string
  models?: string
  size?: number
  arm?: Arm
  /** Such as `repair=by_hand`, as catalogue:read takes it. */
  path?: string
  channel?: string
  line?: string
  message: string
}

export type FindingAbout = Omit<Finding, 'rule'>

/** A rule with its figure, its bound, and the findings that break it. */
export interface Measured {
  rule: string
  bound: string
  figure: string
  findings: Finding[]
}

export const percent = (share: number) => `${(100 * share).toFixed(1)} %`

/** A rule without exceptions. */
export function none(rule: string, found: FindingAbout[]): Measured {
  const findings = found.map((one) => ({ rule, ...one }))
  return { rule, bound: 'none', figure: String(findings.length), findings }
}

/** A figure that must lie between two bounds. */
export function within(
  rule: string,
  figure: number,
  [least, most]: [number, number],
  about: Omit<FindingAbout, 'message'>,
): Measured {
  const bound = most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`
  const isWithin = figure >= least && figure <= most
  const message = `${figure} instead of ${bound}`
  const findings = isWithin ? [] : [{ rule, ...about, message }]
  return { rule, bound, figure: String(figure), findings }
}

type Figure = { figure: number; about: Omit<FindingAbout, 'message'> }

/** Figures that must all lie between two bounds. The least and the most are findings if they do not. */
export function allWithin(rule: string, figures: Figure[], bounds: [number, number]): Measured {
  const [least, most] = [Math.min, Math.max].map((extreme) => {
    const figure = extreme(...figures.map((one) => one.figure))
    const about = figures.find((one) => one.figure === figure)?.about ?? {}
    return within(rule, figure, bounds, about)
  })
  if (!least || !most || least.figure === most.figure) return least ?? none(rule, [])
  const findings = [...least.findings, ...most.findings]
  return { ...least, figure: `${least.figure} to ${most.figure}`, findings }
}

/** The largest of some shares. Each share above the bound is a finding. */
export function largest(
  rule: string,
  bound: number,
  shares: { share: number; about: FindingAbout }[],
): Measured {
  const figure = Math.max(0, ...shares.map(({ share }) => share))
  const findings = shares
    .filter(({ share }) => share > bound)
    .map(({ share, about }) => ({ rule, ...about, message: `${percent(share)} ${about.message}` }))
  return { rule, bound: `at most ${percent(bound)}`, figure: percent(figure), findings }
}

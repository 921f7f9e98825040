import type { Measured } from './prose.js'
import { type Finding, type View, viewsOf } from './views.js'

export const percent = (share: number) => `${(100 * share).toFixed(1)} %`

/** The largest of some shares beside its bound; each above it is a finding. */
export function largest(
  rule: string,
  bound: number,
  shares: { share: number; about: Omit<Finding, 'rule'> }[],
): Measured {
  const figure = Math.max(0, ...shares.map(({ share }) => share))
  const findings = shares
    .filter(({ share }) => share > bound)
    .map(({ share, about }) => ({ rule, ...about, message: `${percent(share)} ${about.message}` }))
  return { rule, bound: `at most ${percent(bound)}`, figure: percent(figure), findings }
}

/** What the control arm reads. */
export const controlOf = (...asked: Parameters<typeof viewsOf>): View['posts'] =>
  viewsOf(...asked)[0]?.posts ?? []

import type { Finding } from './measured.js'
import type { View } from './views.js'

type Found = Omit<Finding, 'rule' | 'scenario' | 'models' | 'size' | 'arm' | 'path'>

/** Returns the posts of a view that break the rule. `minutes` are those of a drill, by key. */
export type Rule = (view: View, minutes: Map<string, number>) => Found[]

/** Rules by their names. */
export type Rules = Record<string, Rule>

export const where = ({ channel, key }: { channel: string; key: string }) => ({
  channel,
  line: key,
})

import { numberOf, type Post } from '../channel-templates/messages.js'
import type { Schema } from '../contract.js'

type Metadata = Post['metadata']

/** A year, as the contract allows. */
const mostMinutes = 525_600
const minuteMs = 60_000

export const textOf = (value: unknown) => (typeof value === 'string' ? value : null)

/** The place of a message in a drill; null for none, and for one that the contract does not allow. */
export function drillMs({ drill_minute }: Metadata): number | null {
  const minute = numberOf(drill_minute, -mostMinutes, mostMinutes)
  return minute === null ? null : Math.round(minute * minuteMs)
}

/** What participants are waited for; null for nothing, and where no deadline says until when. */
export function expectationOf({ expectation }: Metadata): Schema<'Expectation'> | null {
  if (typeof expectation !== 'object' || expectation === null) return null
  const { act, deadline_minutes, options } = expectation as Record<string, unknown>
  const minutes = numberOf(deadline_minutes, 0, mostMinutes)
  if (!minutes) return null
  const isList = Array.isArray(options) && options.every((one) => typeof one === 'string')
  return { act: textOf(act) ?? 'answer', deadline_minutes: minutes, options: isList ? options : [] }
}

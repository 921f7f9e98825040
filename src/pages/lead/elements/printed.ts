import { computed, signal } from '@preact/signals'
import type { Schema } from '../../shared/forms/schema.js'
import { dateOf, say } from '../words/words.js'

const printedAt = signal(new Date().toISOString())
addEventListener('beforeprint', () => {
  printedAt.value = new Date().toISOString()
})

/** The date of printing, for the paper. */
export const printedOn = computed(() => say('lead.printedOn', { date: dateOf(printedAt.value) }))

type Times = Pick<Schema<'SimulationSession'>, 'name' | 'starts_at' | 'started_at'>

/** Names a session on paper: its name, its scenario and its start. */
export function aboutSession({ name, starts_at, started_at }: Times, label = ''): string {
  const planned = starts_at && say('lead.startsOn', { date: dateOf(starts_at) })
  const when = started_at ? say('lead.startedOn', { date: dateOf(started_at) }) : planned
  return [name, label, when].filter(Boolean).join(' · ')
}

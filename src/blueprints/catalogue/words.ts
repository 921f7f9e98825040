import type { Line, Slot } from './entries.js'

export const slots: Slot[] = ['lead', 'owner', 'partner', 'newcomer', 'analyst', 'coordinator']

/** Walks every text of a file: unknown placeholders, and people who mention or answer themselves. */
export function wordFaults(place: string, data: unknown, terms: string[]): string[] {
  if (typeof data === 'string') {
    return [...data.matchAll(/\{(.*?)\}/g)]
      .filter(([, name = '']) => ![...slots, ...terms, 'area'].includes(name))
      .map(([text]) => `${place}: unknown placeholder ${text}`)
  }
  if (typeof data !== 'object' || data === null) return []
  const { from, text, replies = [] } = data as Partial<Line>
  return [
    ...(text?.includes(`{${from}}`) ? [`${place}: ${from} mentions themselves`] : []),
    ...replies
      .filter((reply, i) => reply.from === from || reply.after <= (replies[i - 1]?.after ?? 0))
      .map((reply) => `${place}: the reply of ${reply.from} is by the sender or out of order`),
    ...Object.entries(data).flatMap(([key, value]) => wordFaults(`${place}/${key}`, value, terms)),
  ]
}

import type { Scenario } from '../../src/blueprints/catalogue/entries.js'

/** What participants read before the start, as Markdown paragraphs. */
export function situationParts({ situation }: Scenario): string[] {
  if (!situation) return []
  const { place, people, stakes, terms } = situation
  const words = terms.map(({ term, meaning }) => `- **${term}**: ${meaning}`).join('\n')
  return ['## The situation', place, people, stakes, words]
}

/** A document that a message shows. Its line breaks count. */
export const artefactText = ({ title, text }: { title: string; text: string }) =>
  `📎 **${title}**\n\n\`\`\`\n${text}\n\`\`\``

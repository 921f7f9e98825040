import { html, type Markup } from './html.js'

/** A text with its lines as paragraphs, and its lines with a dash as lists. */
export function prose(text: string): Markup[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.flatMap((line, i) => {
    if (!isItem(line)) return [html`<p>${line}</p>`]
    if (i > 0 && isItem(lines[i - 1] ?? '')) return []
    const end = lines.findIndex((one, at) => at > i && !isItem(one))
    const items = lines.slice(i, end === -1 ? undefined : end)
    return [html`<ul>${items.map((item) => html`<li>${item.slice(2)}</li>`)}</ul>`]
  })
}

const isItem = (line: string) => line.startsWith('- ')

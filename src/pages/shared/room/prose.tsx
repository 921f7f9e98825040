/** Text with its paragraphs. Lines that begin with a dash are a list; several lines of it look like a document. */
export function Prose({ text, lang }: { text: string; lang?: string | undefined }) {
  const parts = partsOf(text)
  const isDocument = parts.some(({ items }) => items.length > 1)
  return (
    <div class={isDocument ? 'prose document' : 'prose'} lang={lang}>
      {parts.map(({ line, items }, i) =>
        items.length > 0 ? (
          <ul key={i}>
            {items.map((item, j) => (
              <li key={j}>{item}</li>
            ))}
          </ul>
        ) : (
          <p key={i} class="text">
            {line}
          </p>
        ),
      )}
    </div>
  )
}

interface Part {
  line: string
  items: string[]
}

const dash = /^\s*[-–•*]\s+/

/** Neighbouring lines of the same kind are one part. */
function partsOf(text: string): Part[] {
  const parts: Part[] = []
  for (const line of text.split('\n')) {
    const last = parts.at(-1)
    const item = dash.test(line) ? line.replace(dash, '') : null
    if (item !== null && last && last.items.length > 0) last.items.push(item)
    else if (item !== null) parts.push({ line: '', items: [item] })
    else if (last && last.items.length === 0) last.line += `\n${line}`
    else if (line.trim() !== '') parts.push({ line, items: [] })
  }
  return parts
}

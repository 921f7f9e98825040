export interface Letter {
  to: string
  subject: string
  text: string
  html: string
}

/** How an organization presents itself in its letters. */
export interface Sender {
  company_name: string | null
  logo_url: string | null
  primary_color: string | null
}

/** A letter with one link, as plain text and as HTML in the colours of an organization. */
export function writeLetter(
  sender: Sender,
  letter: {
    to: string
    subject: string
    paragraphs: string[]
    link: { label: string; url: string }
  },
): Letter {
  const { to, subject, paragraphs, link } = letter
  const name = sender.company_name ?? ''
  const color = sender.primary_color ?? '#1f2937'
  const logo = sender.logo_url
    ? `<p><img src="${escapeHtml(sender.logo_url)}" alt="${escapeHtml(name)}" height="40"></p>`
    : ''
  const html = `<!doctype html>
<html><body style="font-family:sans-serif;line-height:1.5;color:#111827">
${logo}
${paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join('\n')}
<p><a href="${escapeHtml(link.url)}" style="display:inline-block;padding:10px 18px;border:2px solid ${color};border-radius:6px;color:#111827;font-weight:bold;text-decoration:none">${escapeHtml(link.label)}</a></p>
<p>${escapeHtml(name)}</p>
</body></html>
`
  const text = `${[...paragraphs, `${link.label}:\n${link.url}`, name].join('\n\n')}\n`
  return { to, subject, text, html }
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character)
}

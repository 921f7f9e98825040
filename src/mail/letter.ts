export interface Letter {
  to: string
  subject: string
  text: string
  html: string
}

/** The name and branding of an organization in its letters. */
export interface Sender {
  name: string
  company_name: string | null
  logo_url: string | null
  primary_color: string | null
}

export interface Recipient {
  to: string
  full_name?: string | null
  /** What the link of the letter opens. */
  url: string
}

/** The texts of a letter. The subject has only words of the service. */
interface Wording {
  subject: string
  paragraphs: string[]
  label: string
}

/** The name by which readers know an organization. */
export const displayName = ({ company_name, name }: Sender) => unlinked(company_name ?? name)

/** Separates characters, and is invisible. No program takes it for a part of an address. */
const wordJoiner = '\u2060'

/** Writes a name so that no mail program makes a link of an address or a telephone number in it. */
const unlinked = (name: string) =>
  Array.from(name, (character) =>
    // Some programs read the other forms of these signs, too.
    /[.:/@\d\u3002]/.test(character.normalize('NFKC'))
      ? wordJoiner + character + wordJoiner
      : character,
  ).join('')

/**
 * Writes a letter with one link, as plain text and as HTML. It has the name, the logo and the colours of
 * its sender, if there is one.
 */
export function writeLetter(
  sender: Sender | null,
  { to, full_name, url }: Recipient,
  { subject, label, ...wording }: Wording,
): Letter {
  const name = sender ? displayName(sender) : ''
  const paragraphs = [`Hello ${unlinked(full_name ?? '')}`.trim(), ...wording.paragraphs]
  const color = sender?.primary_color ?? '#1f2937'
  const logo = sender?.logo_url
    ? `<p><img src="${escapeHtml(sender.logo_url)}" alt="${escapeHtml(name)}" height="40"></p>`
    : ''
  const html = `<!doctype html>
<html><body style="font-family:sans-serif;line-height:1.5;color:#111827">
${logo}
${paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join('\n')}
<p><a href="${escapeHtml(url)}" style="display:inline-block;padding:10px 18px;border:2px solid ${color};border-radius:6px;color:#111827;font-weight:bold;text-decoration:none">${escapeHtml(label)}</a></p>
<p>${escapeHtml(name)}</p>
</body></html>
`
  const text = `${[...paragraphs, `${label}:\n${url}`, name].join('\n\n').trim()}\n`
  return { to, subject, text, html }
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character)
}

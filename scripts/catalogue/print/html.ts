/** Markup that is ready to be printed. Only `html` makes it, so all other text is escaped. */
class Markup {
  constructor(readonly text: string) {}
}

export type { Markup }
export type Part = Markup | string | number | false | null | undefined | Part[]

/** Writes markup. It escapes each value that is not markup itself. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Markup =>
  new Markup(String.raw({ raw: strings }, ...parts.map(markupOf)))

function markupOf(part: Part): string {
  if (part === false || part === null || part === undefined) return ''
  if (Array.isArray(part)) return part.map(markupOf).join('')
  return part instanceof Markup ? part.text : escaped(String(part))
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

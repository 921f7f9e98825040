import { type Item, type Part, partsOf } from '../../../src/pages/shared/room/text-parts.js'
import { html, type Markup } from './html.js'

/** A text with its paragraphs, lists, tables, and boxes that are ticked or not, as the pages show it. */
export const prose = (text: string): Markup[] => partsOf(text).map(markupOf)

function markupOf({ line, items, rows: [head = [], ...rows] }: Part): Markup {
  if (items.length > 0) return html`<ul>${items.map(itemOf)}</ul>`
  if (head.length === 0) return html`<p class="text">${line.trim()}</p>`
  return html`<table>
<thead><tr>${head.map((cell) => html`<th>${cell}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table>`
}

const itemOf = ({ text, isTicked }: Item): Markup =>
  isTicked === null
    ? html`<li>${text}</li>`
    : html`<li class="boxed">${isTicked ? '☑' : '☐'} ${text}</li>`

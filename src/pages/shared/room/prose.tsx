import { language, say } from '../words/words.js'
import { written } from '../written.js'
import { Story } from './story.js'
import { type Item, partsOf } from './text-parts.js'

/**
 * Text with its paragraphs, lists, tables, and boxes that are ticked or not. Several items of a list
 * or rows of a table look like a document.
 */
export function Prose({ text, isOfStory = false }: { text: string; isOfStory?: boolean }) {
  const parts = partsOf(text)
  const isDocument = parts.some(({ items, rows }) => items.length + rows.length > 1)
  return (
    <Story as="div" class={isDocument ? 'prose document' : 'prose'} {...(!isOfStory && written)}>
      {parts.map(({ line, items, rows }, i) =>
        items.length > 0 ? (
          <ul key={i}>
            {items.map((item, j) => (
              <ListItem key={j} {...item} />
            ))}
          </ul>
        ) : rows.length > 0 ? (
          <Table key={i} rows={rows} />
        ) : (
          <p key={i} class="text">
            {line}
          </p>
        ),
      )}
    </Story>
  )
}

const ListItem = ({ text, isTicked }: Item) =>
  isTicked === null ? (
    <li>{text}</li>
  ) : (
    <li class="boxed">
      <span aria-hidden="true">{isTicked ? '☑' : '☐'} </span>
      <span class="unseen" lang={language}>
        {say(isTicked ? 'text.ticked' : 'text.unticked')}{' '}
      </span>
      {text}
    </li>
  )

/** The first row of a table has the names of its columns. */
const Table = ({ rows: [head = [], ...rows] }: { rows: string[][] }) => (
  <table class="small">
    <thead>
      <tr>
        {head.map((cell, i) => (
          <th key={i} scope="col">
            {cell}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row, i) => (
        <tr key={i}>
          {row.map((cell, j) => (
            <td key={j}>{cell}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

import { say, type Word } from '../words/words.js'

interface ThingsProps {
  word:
    | 'lead.wouldCreate'
    | 'lead.wouldUpdate'
    | 'lead.wouldRemove'
    | 'lead.wouldSkip'
    | 'lead.hasCreated'
    | 'lead.hasUpdated'
    | 'lead.hasRemoved'
    | 'lead.undoRemoves'
    | 'lead.undoRestores'
  things: readonly { kind: string; name: string | null }[]
}

/** The things of a setup that one thing happens to, by their kind. */
export function Things({ word, things }: ThingsProps) {
  if (things.length === 0) return null
  const kinds = [...new Set(things.map(({ kind }) => kind))]
  const namesOf = (kind: string) =>
    things.flatMap((one) => (one.kind === kind && one.name ? [one.name] : [])).join(', ')
  return (
    <div>
      <p>
        <strong>{say(word, { count: things.length })}</strong>
      </p>
      <ul class="small plain-list">
        {kinds.map((kind) => (
          <li key={kind}>
            <span class="muted">{say(`lead.kind.${kind}` as Word)}:</span> {namesOf(kind)}
          </li>
        ))}
      </ul>
    </div>
  )
}

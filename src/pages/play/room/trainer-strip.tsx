import { say } from '../../shared/words/words.js'
import type { Panes } from './panes/panes.js'
import { Strip } from './strip.js'

const longest = 120

/** Shows that a trainer has written, until it is read. */
export function TrainerStrip({ panes }: { panes: Panes }) {
  const words = panes.unreadWords.value
  const newest = words.at(-1)
  if (!newest) return null
  const { sender_name, content } = newest
  return (
    <Strip
      kind="from-trainer"
      title={say('trainer.writes', { name: sender_name ?? say('trainer.the') })}
      onRead={() => panes.openSide({ name: 'trainer' })}
    >
      {content.slice(0, longest)}
      {content.length > longest && '…'}
      {words.length > 1 && (
        <span class="muted"> {say('room.more', { count: words.length - 1 })}</span>
      )}
    </Strip>
  )
}

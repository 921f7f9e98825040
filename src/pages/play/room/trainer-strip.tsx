import type { Schema } from '../../shared/forms/schema.js'
import { beginningOf } from '../../shared/room/beginning.js'
import { say } from '../../shared/words/words.js'
import type { Panes } from './panes/panes.js'
import { Strip } from './strip.js'

/** Shows that a trainer has written, until it is read. */
export function TrainerStrip({ panes }: { panes: Panes }) {
  const words = panes.unreadWords.value
  const newest = words.at(-1)
  if (!newest) return null
  return (
    <Strip
      kind="from-trainer"
      title={titleOf(newest)}
      onRead={() => panes.openSide({ name: 'trainer' })}
    >
      {beginningOf(newest.content)}
      {words.length > 1 && (
        <span class="muted"> {say('room.more', { count: words.length - 1 })}</span>
      )}
    </Strip>
  )
}

export function titleOf({ sender_name, to_all }: Schema<'TrainerMessage'>): string {
  const name = sender_name ? say('trainer.named', { name: sender_name }) : say('trainer.the')
  return say(to_all ? 'trainer.writes_all' : 'trainer.writes', { name })
}

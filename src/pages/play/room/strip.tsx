import type { ComponentChildren } from 'preact'
import { say } from '../../shared/words/words.js'

interface StripProps {
  kind: 'from-trainer' | 'outcome'
  title: string
  onRead(): void
  children: ComponentChildren
}

/** A line that says what is new. It leads there. */
export const Strip = ({ kind, title, onRead, children }: StripProps) => (
  <button type="button" class={`deadline ${kind}`} onClick={onRead}>
    <span class="deadline-text">
      <strong>{title}</strong> {children}
    </span>
    <span class="read small">{say('room.read')}</span>
  </button>
)

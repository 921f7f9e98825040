import { say } from '../words/words.js'

/** Says that a list may go on, if it has as many items as are read at most. */
export const OnlyFirst = ({ count, most }: { count: number; most: number }) =>
  count < most ? null : <p class="muted small">{say('lead.onlyFirst', { most })}</p>

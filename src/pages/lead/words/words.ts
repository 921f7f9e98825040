import type { en as shared } from '../../shared/words/en.js'
import { sayFrom, sharedTexts, textsFrom, type WordIn } from '../../shared/words/words.js'
import { en } from './en.js'

export * from '../../shared/words/words.js'

const texts = { ...sharedTexts, ...(await textsFrom(en, () => import('./de.js'))) }

/** A word of `/lead`, or of all pages. */
export type Word = WordIn<typeof en & typeof shared>
export const say = (word: Word, values?: Record<string, string | number>) =>
  sayFrom(texts, word, values)

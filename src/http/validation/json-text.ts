import type { ContractError } from '../../errors.js'
import { validationFailed } from '../../faults.js'
import {
  closeBrace,
  closeBracket,
  comma,
  endOfSpace,
  endOfText,
  endOfWord,
  isSpace,
  malformedJson,
  openBrace,
  openBracket,
  quote,
} from './json-tokens.js'

const maxDepth = 64
const maxValues = 500_000
/** How many bytes of a text are read before a pause. */
export const sliceBytes = 1_048_576

/**
 * Counts the values in the text of a body before it is parsed: members of objects and items of lists.
 * Throws 422 if the text is nested too deep or has too many values. Pauses after each MiB.
 */
export function* countValues(text: Buffer): Generator<void, number> {
  let levels = 0
  let values = 0
  let before = 0
  for (let i = 0, pauseAt = sliceBytes; i < text.length; i++) {
    if (i >= pauseAt) {
      pauseAt = i + sliceBytes
      yield
    }
    const byte = text[i] ?? 0
    if (isSpace(byte)) {
      i = endOfSpace(text, i)
      continue
    }
    if (byte === quote) i = endOfText(text, i)
    else if (byte === openBracket || byte === openBrace) {
      levels += 1
      if (levels > maxDepth) throw tooDeep(text, i)
    } else if (byte === closeBracket || byte === closeBrace) {
      levels -= 1
      if (before !== openBracket && before !== openBrace) values += 1
    } else if (byte === comma) values += 1
    else i = endOfWord(text, i)
    if (values > maxValues) throw tooManyValues()
    before = byte
  }
  return values
}

const tooDeep = (text: Buffer, at: number) =>
  malformedJson(text, at, `: should be nested at most ${maxDepth} levels deep`)

function tooManyValues(): ContractError {
  const msg = `Body should have at most ${maxValues} values`
  return validationFailed([{ loc: ['body'], msg, type: 'too_long' }])
}

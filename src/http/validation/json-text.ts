import { type ContractError, validationFailed } from '../../errors.js'
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

const deepest = 64
const mostValues = 500_000
/** After so many bytes of a text those who walk it pause. */
export const sliceBytes = 1_048_576

/**
 * Counts the values in the text of a body before it is parsed: the members of objects and the items
 * of lists. Throws 422 at the place where the text is nested too deep or has too many of them.
 * Pauses after each MiB.
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
      if (levels > deepest) throw tooDeep(text, i)
    } else if (byte === closeBracket || byte === closeBrace) {
      levels -= 1
      if (before !== openBracket && before !== openBrace) values += 1
    } else if (byte === comma) values += 1
    else i = endOfWord(text, i)
    if (values > mostValues) throw tooManyValues()
    before = byte
  }
  return values
}

const tooDeep = (text: Buffer, at: number) =>
  malformedJson(text, at, `: should be nested at most ${deepest} levels deep`)

function tooManyValues(): ContractError {
  const msg = `Body should have at most ${mostValues} values`
  return validationFailed([{ loc: ['body'], msg, type: 'too_long' }])
}

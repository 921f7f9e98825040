import { type ContractError, validationFailed } from '../../errors.js'

/** The bytes of JSON's punctuation. The same in UTF-8 as in ASCII, and part of no other character. */
export const quote = 0x22
export const comma = 0x2c
export const openBracket = 0x5b
export const closeBracket = 0x5d
export const openBrace = 0x7b
export const closeBrace = 0x7d
const backslash = 0x5c

/** JSON knows four kinds of white space. */
export const isSpace = (byte: number) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/**
 * The place of the quote that ends the string which begins at `start`; the text's end without one.
 * Walks short strings, and leaps through long ones.
 */
export function endOfString(text: Buffer, start: number): number {
  let i = start + 1
  for (let leapAt = i + 64; i < text.length && text[i] !== quote; ) {
    if (i < leapAt) i += text[i] === backslash ? 2 : 1
    else {
      const found = text.indexOf(quote, i)
      if (found === -1) return text.length
      i = isEscaped(text, found, i) ? found + 1 : found
      leapAt = i + 64
    }
  }
  return i
}

/** Whether an odd number of backslashes comes before a place, since another where none was open. */
function isEscaped(text: Buffer, place: number, since: number): boolean {
  let i = place
  while (i > since && text[i - 1] === backslash) i--
  return (place - i) % 2 === 1
}

/** The last byte of a run of white space. */
export function endOfSpace(text: Buffer, start: number): number {
  let i = start + 1
  while (isSpace(text[i] ?? 0)) i++
  return i - 1
}

/**
 * The last byte of a number or another word, as far as a number may go. To parse one of a million
 * digits takes long and cannot be interrupted; RFC 8259, section 9, allows a limit.
 */
export function endOfWord(text: Buffer, start: number): number {
  let i = start + 1
  while (isOfNumber(text[i] ?? 0)) i++
  if (i - start > longestNumber) throw malformedJson(text, start, `: ${longNumber}`)
  return i - 1
}

/** Digits, signs, points and the letter e. */
const isOfNumber = (byte: number) =>
  (byte >= 0x30 && byte <= 0x39) ||
  byte === 0x2d ||
  byte === 0x2b ||
  byte === 0x2e ||
  (byte | 0x20) === 0x65

/** The same as endOfString, as far as a text may go: more than every field takes, however escaped. */
export function endOfText(text: Buffer, start: number): number {
  const end = endOfString(text, start)
  if (end - start > longestText) throw malformedJson(text, start, `: ${longText}`)
  return end
}

const longestText = 262_144
const longText = `a text should have at most ${longestText} bytes`
const longestNumber = 1_000
const longNumber = `a number should have at most ${longestNumber} characters`

/** A 422 at a byte of the text, which is told as a character. */
export function malformedJson(text: Buffer, at: number | null, more = ''): ContractError {
  const place = at === null ? [] : [String(text.toString('utf8', 0, at).length)]
  const msg = `JSON decode error${more}`
  return validationFailed([{ loc: ['body', ...place], msg, type: 'json_invalid' }])
}

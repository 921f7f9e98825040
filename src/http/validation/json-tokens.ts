import type { ContractError } from '../../errors.js'
import { validationFailed } from '../../faults.js'

/** The bytes of JSON's punctuation. In UTF-8 they are never part of another character. */
export const quote = 0x22
export const comma = 0x2c
export const openBracket = 0x5b
export const closeBracket = 0x5d
export const openBrace = 0x7b
export const closeBrace = 0x7d
const backslash = 0x5c

/** JSON has four kinds of white space. */
export const isSpace = (byte: number) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/**
 * Returns the position of the quote that ends the string at `start`, or the end of the text. Reads short
 * strings byte by byte, and searches in long ones.
 */
export function endOfString(text: Buffer, start: number): number {
  let i = start + 1
  for (let searchAt = i + 64; i < text.length && text[i] !== quote; ) {
    if (i < searchAt) i += text[i] === backslash ? 2 : 1
    else {
      const found = text.indexOf(quote, i)
      if (found === -1) return text.length
      i = isEscaped(text, found, i) ? found + 1 : found
      searchAt = i + 64
    }
  }
  return i
}

/** Whether an odd number of backslashes comes before a position. `since` is not escaped. */
function isEscaped(text: Buffer, at: number, since: number): boolean {
  let i = at
  while (i > since && text[i - 1] === backslash) i--
  return (at - i) % 2 === 1
}

/** Returns the last byte of a run of white space. */
export function endOfSpace(text: Buffer, start: number): number {
  let i = start + 1
  while (isSpace(text[i] ?? 0)) i++
  return i - 1
}

/**
 * Returns the last byte of a number or another word. Throws 422 if it is too long: parsing a million
 * digits takes long and cannot be interrupted. RFC 8259, section 9, allows such a limit.
 */
export function endOfWord(text: Buffer, start: number): number {
  let i = start + 1
  while (isOfNumber(text[i] ?? 0)) i++
  if (i - start > maxNumberLength) throw malformedJson(text, start, `: ${numberTooLong}`)
  return i - 1
}

/** Digits, signs, points and the letter e. */
const isOfNumber = (byte: number) =>
  (byte >= 0x30 && byte <= 0x39) ||
  byte === 0x2d ||
  byte === 0x2b ||
  byte === 0x2e ||
  (byte | 0x20) === 0x65

/** Like endOfString, but throws 422 if the string is longer than any field allows, even if escaped. */
export function endOfText(text: Buffer, start: number): number {
  const end = endOfString(text, start)
  if (end - start > maxTextBytes) throw malformedJson(text, start, `: ${textTooLong}`)
  return end
}

const maxTextBytes = 262_144
const textTooLong = `a text should have at most ${maxTextBytes} bytes`
const maxNumberLength = 1_000
const numberTooLong = `a number should have at most ${maxNumberLength} characters`

/** Returns a 422 for a byte of the text. Its `loc` has the position of the character. */
export function malformedJson(text: Buffer, at: number | null, more = ''): ContractError {
  const position = at === null ? [] : [String(text.toString('utf8', 0, at).length)]
  const msg = `JSON decode error${more}`
  return validationFailed([{ loc: ['body', ...position], msg, type: 'json_invalid' }])
}

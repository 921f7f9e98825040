import { isUtf8 } from 'node:buffer'
import type { ContractError } from '../../errors.js'
import { validationFailed } from '../../faults.js'

const maxDepth = 64
/** A body may have one value for each 20 bytes of its limit. Many small values take long to parse. */
const bytesOfValue = 20
const maxTextBytes = 262_144
/** RFC 8259, section 9, allows such a limit. Parsing a million digits would take long. */
const maxNumberLength = 1_000

const byteOrderMark = Buffer.from('\ufeff')
/** Shorter integers without an exponent are always exact in a double. */
const maxExactDigits = 15
/** A number that is parsed as infinite. No value may be infinite. */
const infinite = '1e999'

/** The bytes of JSON's punctuation. In UTF-8 they are never part of another character. */
const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const backslash = 0x5c

/**
 * Returns the text without a byte order mark, which may be ignored (RFC 8259, 8.1). Throws 422 if it is not
 * UTF-8.
 */
export function readUtf8(bytes: Buffer): Buffer {
  const isMarked = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)
  const text = isMarked ? bytes.subarray(byteOrderMark.length) : bytes
  if (!isUtf8(text)) throw malformedJson(text, firstOutsideUtf8(text), ': should be UTF-8')
  return text
}

function firstOutsideUtf8(text: Buffer): number {
  const readable = Buffer.from(text.toString())
  let i = 0
  while (text[i] === readable[i]) i++
  return i
}

/**
 * Counts the values in the text of a body before it is parsed: members of objects and items of lists.
 * Throws 422 if the text is nested too deep, has too many values, or has a string or number that is too
 * long. `bodyLimit` is in bytes. Overwrites numbers that would be changed (`isInexact`) with an infinite
 * number, which is refused at its place when the body is validated.
 */
export function countValues(text: Buffer, bodyLimit: number): number {
  const maxValues = Math.floor(bodyLimit / bytesOfValue)
  let levels = 0
  let values = 0
  let before = 0
  for (let i = 0; i < text.length; i++) {
    const byte = text[i] ?? 0
    if (isSpace(byte)) continue
    if (byte === quote) i = endOfString(text, i)
    else if (byte === openBracket || byte === openBrace) {
      levels += 1
      if (levels > maxDepth) throw tooDeep(text, i)
    } else if (byte === closeBracket || byte === closeBrace) {
      levels -= 1
      if (before !== openBracket && before !== openBrace) values += 1
    } else if (byte === comma) values += 1
    else if (byte !== colon) i = endOfWord(text, i)
    if (values > maxValues) throw tooManyValues(maxValues)
    before = byte
  }
  return values
}

/** Throws 422 if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // Only at the end of the message, because its beginning may quote the body.
    const message = error instanceof Error ? error.message : ''
    const position = /at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1]
    throw jsonInvalid(position === undefined ? null : Number(position))
  }
}

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Returns the position of the quote that ends the string at `start`, or the end of the text. */
function endOfString(text: Buffer, start: number): number {
  let i = start + 1
  while (i < text.length && text[i] !== quote) i += text[i] === backslash ? 2 : 1
  if (i - start > maxTextBytes) {
    throw malformedJson(text, start, `: a text should have at most ${maxTextBytes} bytes`)
  }
  return i
}

/** Returns the position of the last byte of a number or another word. */
function endOfWord(text: Buffer, start: number): number {
  let i = start + 1
  while (isOfNumber(text[i] ?? 0)) i++
  if (i - start > maxNumberLength) {
    throw malformedJson(text, start, `: a number should have at most ${maxNumberLength} characters`)
  }
  const word = text.toString('latin1', start, i)
  if ((word.length > maxExactDigits || /e/i.test(word)) && isInexact(word)) {
    text.fill(' ', start, i).write(infinite, start)
  }
  return i - 1
}

/** Whether a word is an integer that a double cannot hold exactly, or a number that it takes for zero. */
function isInexact(word: string): boolean {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(word)) return false
  const sent = decimalOf(word)
  const value = Number(word)
  if (sent.digits === '' || !Number.isFinite(value)) return false
  if (value === 0 || sent.exponent < 0) return value === 0
  const stored = decimalOf(String(value))
  return stored.digits !== sent.digits || stored.exponent !== sent.exponent
}

/** A number as its significant digits times a power of ten, without its sign. */
function decimalOf(number: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = number.replace(/^-/, '').toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const all = (whole + fraction).replace(/^0+/, '')
  let end = all.length
  // A regular expression would look at each zero inside many times.
  while (all[end - 1] === '0') end--
  return { digits: all.slice(0, end), exponent: Number(power) - fraction.length + all.length - end }
}

/** Digits, signs, points and the letter e. */
const isOfNumber = (byte: number) =>
  (byte >= 0x30 && byte <= 0x39) ||
  byte === 0x2d ||
  byte === 0x2b ||
  byte === 0x2e ||
  (byte | 0x20) === 0x65

const tooDeep = (text: Buffer, at: number) =>
  malformedJson(text, at, `: should be nested at most ${maxDepth} levels deep`)

function tooManyValues(maxValues: number): ContractError {
  const msg = `Body should have at most ${maxValues} values`
  return validationFailed([{ loc: ['body'], msg, type: 'too_long' }])
}

const malformedJson = (text: Buffer, at: number, more: string) =>
  jsonInvalid(new TextDecoder().decode(text.subarray(0, at), { stream: true }).length, more)

/** Returns a 422. Its `loc` has the position of a character in the text, if it is known. */
function jsonInvalid(position: number | null, more = ''): ContractError {
  const loc = ['body', ...(position === null ? [] : [String(position)])]
  return validationFailed([{ loc, msg: `JSON decode error${more}`, type: 'json_invalid' }])
}

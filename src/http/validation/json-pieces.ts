import { sliceBytes } from './json-text.js'
import {
  closeBrace,
  closeBracket,
  comma,
  endOfString,
  isSpace,
  malformedJson,
  openBrace,
  openBracket,
  quote,
} from './json-tokens.js'

/** A list or an object whose end has not been read. */
interface Container {
  isList: boolean
  start: number
  /** Where the text begins that is not parsed yet. */
  from: number
  /** The last comma in that text, or -1. */
  comma: number
  /** The parsed part; null while nothing is parsed. */
  value: unknown[] | Record<string, unknown> | null
  /** Whether the text before `from` ended with a value, so that a comma must come next. */
  isAfterValue: boolean
}

/**
 * Parses JSON, and pauses after each piece of about `pieceBytes` for other work. Returns the same value
 * as JSON.parse, or throws 422 where JSON.parse throws.
 *
 * A small list or object is parsed as a whole. When one grows larger than a piece, it and all
 * containers around it are taken apart: their complete members are parsed and added to their values.
 */
export function* parseInPieces(text: Buffer, pieceBytes: number): Generator<void, unknown> {
  if (text.length <= pieceBytes) return parse(text, 0, text.length)
  const open: Container[] = []
  for (let i = 0, pauseAt = sliceBytes; i < text.length; i++) {
    if (i >= pauseAt) {
      pauseAt = i + sliceBytes
      yield
    }
    const byte = text[i]
    const inner = open.at(-1)
    if (byte === quote) i = endOfString(text, i)
    else if (byte === openBracket || byte === openBrace) {
      open.push(newContainer(i, byte === openBracket))
    } else if (byte === comma && inner) {
      inner.comma = i
      if (i - inner.from <= pieceBytes && !inner.isAfterValue) continue
      takeApart(text, open)
      yield
    } else if ((byte === closeBracket || byte === closeBrace) && inner) {
      if (inner.isList !== (byte === closeBracket)) throw malformedJson(text, i)
      if (i - inner.start > pieceBytes) takeApart(text, open)
      const value = close(text, inner, i)
      open.pop()
      if (value === null) continue
      const outer = open.at(-1)
      if (!outer) return endWith(text, inner.start, value, i + 1)
      attach(text, outer, inner.start, value, i + 1)
      yield
    }
  }
  if (open.length > 0) throw malformedJson(text, null)
  return parse(text, 0, text.length)
}

const newContainer = (start: number, isList: boolean): Container => ({
  isList,
  start,
  from: start + 1,
  comma: -1,
  value: null,
  isAfterValue: false,
})

/** Parses the complete members of all open containers: the text before their last commas. */
function takeApart(text: Buffer, open: Container[]): void {
  for (const one of open) {
    one.value ??= one.isList ? [] : {}
    if (one.comma < one.from) continue
    // A comma must follow a value.
    if (firstNonSpace(text, one.from, one.comma) === one.comma && !one.isAfterValue) {
      throw malformedJson(text, one.comma)
    }
    add(text, one, one.comma)
    one.from = one.comma + 1
    one.isAfterValue = false
  }
}

/** Parses the text of a container up to `end`, and adds it to its value. */
function add(text: Buffer, { isList, from, value, isAfterValue }: Container, end: number): void {
  if (isAfterValue) {
    requireBlank(text, from, end)
    return
  }
  const [before, after] = isList ? '[]' : '{}'
  const piece = parse(text, from, end, before, after)
  if (Array.isArray(value)) for (const item of piece as unknown[]) value.push(item)
  else for (const [key, item] of Object.entries(piece as object)) setMember(value, key, item)
}

/** Returns the value of a container that ends, or null if nothing of it is parsed. */
function close(text: Buffer, container: Container, end: number): Container['value'] {
  const { value, start, from, isAfterValue } = container
  if (value === null) return null
  // A value must follow a comma.
  const isBlank = from > start + 1 && !isAfterValue && firstNonSpace(text, from, end) === end
  if (isBlank) throw malformedJson(text, end)
  add(text, container, end)
  return value
}

/** Adds a container that was taken apart to the container around it. */
function attach(text: Buffer, outer: Container, start: number, value: object, end: number): void {
  const { from, isAfterValue } = outer
  if (isAfterValue) throw malformedJson(text, start)
  if (outer.isList) {
    requireBlank(text, from, start)
    if (Array.isArray(outer.value)) outer.value.push(value)
  } else {
    const [key = ''] = Object.keys(parse(text, from, start, '{', 'null}') as object)
    setMember(outer.value, key, value)
  }
  outer.from = end
  outer.isAfterValue = true
}

function endWith(text: Buffer, start: number, value: unknown, end: number): unknown {
  requireBlank(text, 0, start)
  requireBlank(text, end, text.length)
  return value
}

/** Sets a member as JSON.parse does: `__proto__` is an ordinary key. */
function setMember(object: unknown, key: string, value: unknown): void {
  const member = { value, configurable: true, enumerable: true, writable: true }
  if (key === '__proto__') Object.defineProperty(object, key, member)
  else Reflect.set(object as object, key, value)
}

function firstNonSpace(text: Buffer, from: number, end: number): number {
  let i = from
  while (i < end && isSpace(text[i] ?? 0)) i++
  return i
}

function requireBlank(text: Buffer, from: number, end: number): void {
  const at = firstNonSpace(text, from, end)
  if (at < end) throw malformedJson(text, at)
}

function parse(text: Buffer, from: number, end: number, before = '', after = ''): unknown {
  try {
    return JSON.parse(`${before}${text.toString('utf8', from, end)}${after}`)
  } catch (error) {
    // Only at the end of the message, because its beginning may quote the body.
    const message = error instanceof Error ? error.message : ''
    const offset = /at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1]
    const characters = Number(offset) - before.length
    throw malformedJson(text, offset === undefined ? null : byteOf(text, from, end, characters))
  }
}

/** Returns the byte at which a character of a piece begins. */
function byteOf(text: Buffer, from: number, end: number, characters: number): number {
  const piece = text.toString('utf8', from, end)
  return Math.min(from + Buffer.byteLength(piece.slice(0, Math.max(characters, 0))), end)
}

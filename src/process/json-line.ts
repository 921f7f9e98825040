/** Characters that JSON allows in texts, and at which common readers of lines end a line. */
const lineEnds = /[\u0085\u2028\u2029]/g

/** Escapes the characters of JSON at which a reader might end a line. Parsed, it is the same value. */
export const inOneLine = (json: string): string =>
  json.replace(lineEnds, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns a value as JSON in one line, without the characters that some readers take for a line end. */
export const jsonLine = (value: object, fields?: string[]): string =>
  inOneLine(JSON.stringify(value, fields))

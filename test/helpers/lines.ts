/** Characters at which a common reader of lines ends a line, beside a line feed (Python: `str.splitlines`). */
export const endsOfLines = 'one\u0085two\u2028three\u2029four'

/** The lines of a text, split wherever a common reader of lines ends one. */
export const linesForEveryReader = (text: string): string[] =>
  text.split(/[\n\r\v\f\u0085\u2028\u2029]/).slice(0, -1)

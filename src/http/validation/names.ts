const scripts = [
  ...['Arabic', 'Syriac', 'Nko', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati'],
  ...['Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Myanmar', 'Khmer'],
]
/** A letter or mark of a script whose letters are joined or kept apart by an invisible character. */
const joined = `[${scripts.map((name) => `\\p{Script=${name}}`).join('')}]`

/** Where an invisible character changes what is seen. */
const visible = [
  `(?<=${joined})[\\u200C\\u200D](?=${joined})`,
  // A vowel is left out at the end of a word.
  '(?<=[\\u0D4D\\u0DCA])\\u200D',
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])\\u200D(?=\\p{Extended_Pictographic})',
  '(?<=\\p{Extended_Pictographic})[\\uFE0E\\uFE0F]',
  '(?<=[0-9#*])\\uFE0F(?=\\u20E3)',
  // Two ways to write one Han character, of which a family has one.
  '(?<=\\p{Script=Han})[\\uFE00-\\uFE02\\u{E0100}-\\u{E01EF}]',
  '(?<=\\p{Script=Mongolian})[\\u180B-\\u180D\\u180F]',
]
const visibleSequence = new RegExp(visible.join('|'), 'gu')

const forbidden =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB\u{1D159}]/u

/**
 * Whether a name shows all that it is made of, in the order in which it is stored: it has no control
 * characters, nothing that changes the direction, and nothing invisible where that does nothing.
 */
export function isVisibleName(text: string): boolean {
  // U+0000 is refused in every text.
  const rest = text.replaceAll('\0', '').replace(visibleSequence, '')
  return !forbidden.test(rest)
}

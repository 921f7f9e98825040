const scripts = [
  'Arabic',
  'Syriac',
  'Nko',
  'Mongolian',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Myanmar',
  'Khmer',
]
/** A letter or mark of a script that joins or separates letters with invisible characters. */
const joined = `[${scripts.map((name) => `\\p{Script=${name}}`).join('')}]`

/** Places where an invisible character changes what is seen. */
const visible = [
  `(?<=${joined})[\\u200C\\u200D](?=${joined})`,
  // After a sign that drops the vowel at the end of a word.
  '(?<=[\\u0D4D\\u0DCA])\\u200D',
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])\\u200D(?=\\p{Extended_Pictographic})',
  '(?<=\\p{Extended_Pictographic})[\\uFE0E\\uFE0F]',
  '(?<=[0-9#*])\\uFE0F(?=\\u20E3)',
  // Variants of a Han character, as in family names.
  '(?<=\\p{Script=Han})[\\uFE00-\\uFE02\\u{E0100}-\\u{E01EF}]',
  '(?<=\\p{Script=Mongolian})[\\u180B-\\u180D\\u180F]',
]
const visibleSequence = new RegExp(visible.join('|'), 'gu')

const forbidden =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB\u{1D159}]/u

/**
 * Whether all characters of a name are visible, in the order in which they are stored: it has no control
 * characters, no change of direction, and no invisible characters without effect.
 */
export function isVisibleName(text: string): boolean {
  // U+0000 is refused elsewhere, in every text.
  const rest = text.replaceAll('\0', '').replace(visibleSequence, '')
  return !forbidden.test(rest)
}

/** Alphabets with letters that look alike, such as the Latin and the Cyrillic a. */
const alphabets = ['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Cherokee', 'Coptic', 'Lisu']
/** Scripts that are written together with Latin letters (UTS 39, 5.2). */
const withLatin = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo']
const mixtures = alphabets.map((name) => {
  const together = name === 'Latin' ? [name, ...withLatin] : [name]
  const kept = together.map((script) => `\\p{Script_Extensions=${script}}`).join('')
  return {
    own: new RegExp(`\\p{Script=${name}}`, 'u'),
    foreign: new RegExp(`[^\\P{L}\\p{Script=Common}${kept}]`, 'u'),
  }
})

/** Whether a word of a name mixes alphabets, so that it may look like another name. */
export function mixesAlphabets(name: string): boolean {
  const words = name.normalize('NFKC').split(/[^\p{L}\p{M}\p{N}'’]+/u)
  return words.some((word) =>
    mixtures.some(({ own, foreign }) => own.test(word) && foreign.test(word)),
  )
}

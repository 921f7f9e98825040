import { asciiLetters } from './confusable-letters.js'

const inAscii = (text: string) =>
  Array.from(text, (character) => asciiLetters.get(character) ?? character).join('')

const spaced = (text: string) => text.trim().replace(/\s+/g, ' ')

/**
 * A text that names have in common when they look alike, whatever their case: the skeleton of Unicode
 * Technical Standard 39, 4, with the letters of `asciiLetters`. Nobody should read it.
 */
function skeletonOf(name: string): string {
  const visible = name.normalize('NFKD').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  const plain = visible.replace(/\p{Dash_Punctuation}/gu, '-').replace(/[‘’ʼ`´]/g, "'")
  // Letters that look alike in one case only do so whatever the case is.
  return spaced(inAscii(inAscii(plain).toUpperCase()).toLowerCase())
}

/** The name itself, whatever its case and however its accents are stored. */
const sameFor = (name: string) => spaced(name.normalize('NFC').toLowerCase())

/**
 * What is wrong with a person's name beside those of characters: it can be taken for one, though it is
 * another. The very name of a character is no fault: people are called like characters.
 */
export function nameFault(name: string | null, characters: readonly string[]): string | null {
  if (name === null) return null
  const skeleton = skeletonOf(name)
  const same = sameFor(name)
  const found = characters.find((one) => sameFor(one) !== same && skeletonOf(one) === skeleton)
  return found === undefined ? null : `has a name that looks like that of the character ${found}`
}

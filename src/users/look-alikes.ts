import { LRUCache } from 'lru-cache'
import { asciiLetters } from './confusable-letters.js'

const confusable = new RegExp(`[${[...asciiLetters.keys()].join('')}]`, 'gu')

const inAscii = (text: string) =>
  text.replace(confusable, (character) => asciiLetters.get(character) ?? character)

const spaced = (text: string) => text.trim().replace(/\s+/g, ' ')

/**
 * A text that names have in common when they look alike, whatever their case: the skeleton of Unicode
 * Technical Standard 39, 4, with the letters of `asciiLetters`. It is compared and never shown.
 */
function makeSkeleton(name: string): string {
  const visible = name.normalize('NFKD').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  const plain = visible.replace(/\p{Dash_Punctuation}/gu, '-').replace(/[‘’ʼ`´]/g, "'")
  // Letters that look alike in one case only do so whatever the case is.
  return spaced(inAscii(inAscii(plain).toUpperCase()).toLowerCase())
}

/** More than an organization has users: those of a large cast are not made again for each request. */
const skeletons = new LRUCache<string, string>({ max: 25_000 })

function skeletonOf(name: string): string {
  const skeleton = skeletons.get(name) ?? makeSkeleton(name)
  skeletons.set(name, skeleton)
  return skeleton
}

/** The name itself, whatever its case and however its accents are stored. */
const sameFor = (name: string) => spaced(name.normalize('NFC').toLowerCase())

/** Tells what is wrong with the name of a person, or null. */
type NameCheck = (name: string | null) => string | null

/**
 * What is wrong with the name of a person beside those of characters: it can be taken for one, though it
 * is another. The very name of a character is no fault: people are called like characters. The names of
 * the characters are read once, for however many people.
 */
export function checkNamesBeside(characters: readonly string[]): NameCheck {
  const bySkeleton = new Map<string, string[]>()
  for (const one of characters) {
    const skeleton = skeletonOf(one)
    const alike = bySkeleton.get(skeleton)
    if (alike) alike.push(one)
    else bySkeleton.set(skeleton, [one])
  }
  return (name) => {
    if (name === null) return null
    const same = sameFor(name)
    const alike = bySkeleton.get(skeletonOf(name)) ?? []
    const found = alike.find((one) => sameFor(one) !== same)
    return found === undefined ? null : `has a name that looks like that of the character ${found}`
  }
}

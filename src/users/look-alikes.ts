import { LRUCache } from 'lru-cache'
import { groupsOf } from '../database/groups.js'
import type { Reason } from '../faults.js'
import { asciiLetters } from './confusable-letters.js'

const confusable = new RegExp(`[${[...asciiLetters.keys()].join('')}]`, 'gu')

const inAscii = (text: string) =>
  text.replace(confusable, (character) => asciiLetters.get(character) ?? character)

const spaced = (text: string) => text.trim().replace(/\s+/g, ' ')

/**
 * The skeleton of a name: names that look alike have the same one, in any case. It follows Unicode
 * Technical Standard 39, section 4, with the letters of `asciiLetters`. It is compared, never shown.
 */
function makeSkeleton(name: string): string {
  const visible = name.normalize('NFKD').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  const plain = visible.replace(/\p{Dash_Punctuation}/gu, '-').replace(/[‘’ʼ`´]/g, "'")
  // Letters that look alike in only one of the two cases count as alike in both.
  return spaced(inAscii(inAscii(plain).toUpperCase()).toLowerCase())
}

/** Larger than any organization, so that a large cast's skeletons are not computed for each request. */
const skeletons = new LRUCache<string, string>({ max: 25_000 })

function skeletonOf(name: string): string {
  const skeleton = skeletons.get(name) ?? makeSkeleton(name)
  skeletons.set(name, skeleton)
  return skeleton
}

/** A name without differences in case, spaces and the encoding of accents. */
const normalizedName = (name: string) => spaced(name.normalize('NFC').toLowerCase())

/** Returns what is wrong with the name of a person, or null. */
type NameCheck = (name: string | null) => Reason | null

/** Returns a check of names against those of other people. It refuses the same name too. */
export function checkNamesOfPeople(others: readonly string[]): NameCheck {
  const bySkeleton = new Map(others.map((one) => [skeletonOf(one), one]))
  return (name) => {
    const found = name === null ? undefined : bySkeleton.get(skeletonOf(name))
    return found === undefined
      ? null
      : ['name_taken', `has the name of the participant ${found}, or one that looks like it`]
  }
}

/**
 * Returns a check of people's names against the names of characters. It refuses a name that only looks
 * like that of a character. Exactly the same name is allowed, because people may share a character's
 * name. The skeletons of the characters are computed once, for any number of people.
 */
export function checkNamesAgainst(characters: readonly string[]): NameCheck {
  const bySkeleton = groupsOf(characters, skeletonOf)
  return (name) => {
    if (name === null) return null
    const same = normalizedName(name)
    const alike = bySkeleton.get(skeletonOf(name)) ?? []
    const found = alike.find((one) => normalizedName(one) !== same)
    return found === undefined
      ? null
      : ['name_taken', `has a name that looks like that of the character ${found}`]
  }
}

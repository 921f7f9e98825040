import { en } from './en.js'

type Key = keyof typeof en
/** The name of a text; of one with a number, without `_one` and `_other`. */
export type Word = Key | PluralOf<Key>
type PluralOf<One> = One extends `${infer Name}_one` ? Name : never
type Values = Record<string, string | number>

/** The language of the page: the first of the reader's languages that it has. */
export const language = navigator.languages.map((one) => one.slice(0, 2)).find(isKnown) ?? 'en'

function isKnown(one: string): one is 'en' | 'de' {
  return one === 'en' || one === 'de'
}

/** A page in English is better than none. */
async function readGerman(): Promise<Record<string, string>> {
  return import('./de.js').then(({ de }) => de).catch(() => en)
}

const words: Record<string, string> = language === 'de' ? await readGerman() : en
const plurals = new Intl.PluralRules(language)

/** Returns a text in the reader's language, with its values. */
export function say(word: Word, values: Values = {}): string {
  const { count } = values
  const form = typeof count === 'number' ? `${word}_${plurals.select(count)}` : word
  const text = words[form] ?? words[word] ?? word
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
}

/** A text that begins with a capital letter. */
export const capitalised = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

const numbers = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 })

/** A number as the page writes it; a dash where there is none. */
export const number = (value: number | null | undefined) =>
  value == null ? '–' : numbers.format(value)

const times = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' })
const dates = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })

export const timeOf = (instant: string) => times.format(new Date(instant))
export const dateOf = (instant: string) => dates.format(new Date(instant))

/** Returns minutes and seconds, such as 4:05; with hours from an hour on. */
export function durationOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const two = (number: number) => String(number).padStart(2, '0')
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}

document.documentElement.lang = language

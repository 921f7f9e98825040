import { en } from './en.js'

/** The name of a text; of one with a number, without `_one` and `_other`. */
export type WordIn<Texts> = keyof Texts | PluralOf<keyof Texts>
type PluralOf<One> = One extends `${infer Name}_one` ? Name : never
type Values = Record<string, string | number>
type Texts = Record<string, string>

/** The language of the page: the first of the reader's languages that it has. */
export const language = navigator.languages.map((one) => one.slice(0, 2)).find(isKnown) ?? 'en'

function isKnown(one: string): one is 'en' | 'de' {
  return one === 'en' || one === 'de'
}

/** Returns texts in the reader's language. A page in English is better than none. */
export async function textsFrom(en: Texts, readGerman: () => Promise<{ de: Texts }>) {
  return language === 'de'
    ? readGerman().then(
        ({ de }) => de,
        () => en,
      )
    : en
}

export const sharedTexts = await textsFrom(en, () => import('./de.js'))
const languages = new Intl.DisplayNames(language, { type: 'language' })

/** The name of the language of a story, if it is known and another one than that of the page. */
export function otherLanguage(lang: string | null): string | null {
  const isOther = lang && new Intl.Locale(lang).language !== language
  return isOther ? (languages.of(lang) ?? null) : null
}

const plurals = new Intl.PluralRules(language)

/** Returns a text in the reader's language, with its values. */
export function sayFrom(texts: Texts, word: string, values: Values = {}): string {
  const { count } = values
  const form = typeof count === 'number' ? `${word}_${plurals.select(count)}` : word
  const text = texts[form] ?? texts[word] ?? word
  return text.replace(/\{(\w+)\}/g, (_, name: string) => isolated(String(values[name] ?? '')))
}

/** Keeps a value that is written from right to left from turning the words around it. */
const isolated = (value: string) =>
  /[\u0590-\u08ff\ufb1d-\ufefc]/.test(value) ? `\u2068${value}\u2069` : value

export type Word = WordIn<typeof en>
export const say = (word: Word, values?: Values) => sayFrom(sharedTexts, word, values)

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

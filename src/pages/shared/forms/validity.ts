import { signal } from '@preact/signals'
import { createContext } from 'preact'
import { say } from '../words/words.js'

type Control = HTMLInputElement | HTMLTextAreaElement

/** The key of a fault that belongs to several inputs, such as a choice. */
const ofSeveral = ''

/** What is wrong with the inputs of a form, in the words of the page. A browser has words of its own. */
export class Validity {
  /** The faults, by the id of the input. */
  readonly faults = signal<ReadonlyMap<string, string>>(new Map())

  /** Returns whether all inputs are as they have to be. The first that is not gets the focus. */
  check(form: HTMLFormElement): boolean {
    const invalid = [...form.querySelectorAll<HTMLInputElement>(':is(input, textarea):invalid')]
    this.faults.value = new Map(invalid.map((one) => [keyOf(one), faultOf(one)]))
    const [first] = invalid
    if (!first) return true
    first.closest('details')?.setAttribute('open', '')
    requestAnimationFrame(() => first.focus())
    return false
  }

  /** Takes back the fault of an input that changes. */
  forget(input: Control): void {
    const key = keyOf(input)
    if (!this.faults.value.has(key)) return
    this.faults.value = new Map([...this.faults.value].filter(([one]) => one !== key))
  }

  /** The fault of a choice, which no single input shows. */
  get ofSeveral(): string | undefined {
    return this.faults.value.get(ofSeveral)
  }
}

export const isControl = (target: EventTarget | null): target is Control =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement

/** The validity of the form around an input. */
export const FormValidity = createContext<Validity | null>(null)

const isOfSeveral = ({ type }: Control) => ['radio', 'checkbox'].includes(type)
const keyOf = (input: Control) => (isOfSeveral(input) ? ofSeveral : input.id)

function faultOf(input: HTMLInputElement): string {
  const { validity, type, required, min, max } = input
  if (validity.badInput && type === 'number') return say('field.number')
  if (validity.badInput) return say(required ? 'field.incomplete' : 'field.incomplete_or_empty')
  if (validity.typeMismatch) return say('field.value_error')
  if (validity.tooShort) return say('field.string_too_short')
  if (validity.stepMismatch) return say('field.whole')
  if (validity.rangeOverflow || validity.rangeUnderflow) {
    return max === '' ? say('field.at_least', { min }) : say('field.range', { min, max })
  }
  return say(isOfSeveral(input) ? 'field.choose' : 'field.missing')
}

import { type Signal, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { ApiError } from '../../../client/client.js'
import { announce } from '../announcer.js'
import { faultIn, faultText, fieldFault } from '../service.js'
import { Notice } from './form.js'
import { FormValidity, isControl, Validity } from './validity.js'

/** What the last action has done. Null if there is nothing to show. */
export const lastDone: Signal<{ text: string } | null> = signal(null)

/** Shows what was done, and announces it to screen readers. */
export function sayDone(text: string): void {
  lastDone.value = { text }
  announce(text)
}

/** Something that the user does with the service: whether it is being done, and why it failed. */
export class Action {
  readonly isBusy: Signal<boolean> = signal(false)
  readonly error: Signal<unknown> = signal(null)
  /** The locations of the fields that show what is wrong with them. */
  readonly #shown = new Set<string>()

  /** Does it, unless it is being done already. Returns whether it succeeded. */
  async run(act: () => Promise<void>, done?: string): Promise<boolean> {
    if (this.isBusy.value) return false
    this.isBusy.value = true
    this.error.value = null
    const before = lastDone.value
    try {
      await act()
      if (done) sayDone(done)
      else if (lastDone.value === before) lastDone.value = null
      return true
    } catch (error) {
      lastDone.value = null
      this.error.value = error
      if (this.isShown) announce(faultText(error), true)
      return false
    } finally {
      this.isBusy.value = false
    }
  }

  /** Returns what is wrong with one field of the request, which shows it. */
  faultAt(field: string): string | undefined {
    const location = `body.${field}`
    this.#shown.add(location)
    const fault = faultIn(this.error.value, location)
    return fault && fieldFault(fault)
  }

  /** Whether the fields show all that is wrong. */
  get isShown(): boolean {
    const error = this.error.value
    if (!(error instanceof ApiError) || error.faults.length === 0) return false
    return error.faults.every(({ loc }) => this.#shown.has(loc.join('.')))
  }
}

export const useAction = () => useMemo(() => new Action(), [])

/** Shows why an action failed, unless the fields of its form do. */
export function ActionFault({ action }: { action: Action }) {
  const error = action.error.value
  if (error === null || action.isShown) return null
  return <Notice kind="bad">{faultText(error)}</Notice>
}

interface ActionFormProps {
  action: Action
  act: () => Promise<void>
  done?: string
  kind?: string
  /** The words of a button at the end of the form, which is as wide as the form. */
  label?: string | undefined
  /** What is shown beside that button. */
  beside?: ComponentChildren
  children?: ComponentChildren
}

/** A form for an action. */
export function ActionForm({
  action,
  act,
  done,
  kind = 'stack',
  label,
  beside,
  children,
}: ActionFormProps) {
  const validity = useMemo(() => new Validity(), [])
  const submit = async (form: HTMLFormElement) => {
    if (!validity.check(form) || (await action.run(act, done))) return
    requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  return (
    <form
      class={kind}
      noValidate
      onInput={({ target }) => isControl(target) && validity.forget(target)}
      onSubmit={(event) => {
        event.preventDefault()
        if (event.submitter?.ariaDisabled === 'true') return
        void submit(event.currentTarget)
      }}
    >
      <FormValidity.Provider value={validity}>{children}</FormValidity.Provider>
      {label ? (
        <div class="stack act">
          <ActionFault action={action} />
          <div class="row">
            {beside}
            <button type="submit" class="primary" aria-disabled={action.isBusy.value}>
              {label}
            </button>
          </div>
        </div>
      ) : (
        <ActionFault action={action} />
      )}
    </form>
  )
}

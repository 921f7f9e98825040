import type { ComponentChildren, JSX } from 'preact'
import { useContext, useId } from 'preact/hooks'
import { written } from '../written.js'
import { FormValidity } from './validity.js'

export interface Labels {
  label: string
  hint?: string | undefined
  /** The id of another text that belongs to the input. */
  describedBy?: string | undefined
  fault?: string | undefined
}

/** The attributes of an input that has a label, a hint and a fault. */
interface LabelledAttributes {
  id: string
  'aria-invalid': 'true' | undefined
  'aria-describedby': string | undefined
}

interface LabelledProps extends Labels {
  isLabelHidden?: boolean | undefined
  children(attributes: LabelledAttributes): ComponentChildren
}

/** An input with its label, a hint, and what is wrong with its value. */
export function Labelled({
  label,
  isLabelHidden,
  hint,
  describedBy,
  fault: given,
  children,
}: LabelledProps) {
  const id = useId()
  const validity = useContext(FormValidity)
  const fault = given ?? validity?.faults.value.get(id)
  const described = [describedBy, hint && `${id}-hint`, fault && `${id}-fault`]
    .filter(Boolean)
    .join(' ')
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? 'unseen' : undefined}>
        {label}
      </label>
      {hint && (
        <p id={`${id}-hint`} class="muted small">
          {hint}
        </p>
      )}
      {children({
        id,
        'aria-invalid': fault ? 'true' : undefined,
        'aria-describedby': described || undefined,
      })}
      {fault && (
        <p id={`${id}-fault`} class="fault small">
          {fault}
        </p>
      )}
    </div>
  )
}

interface FieldProps extends Labels {
  value: string
  onInput?(value: string): void
  type?: 'text' | 'email' | 'password' | 'number' | 'search' | 'datetime-local'
  autocomplete?: AutoFill
  required?: boolean
  readOnly?: boolean
  minLength?: number
  pattern?: string
  maxLength?: number
  min?: number
  max?: number | undefined
  step?: 'any' | undefined
}

/** A text of one line, a number or a time. */
export const Field = ({ label, hint, describedBy, fault, onInput, ...input }: FieldProps) => (
  <Labelled label={label} hint={hint} describedBy={describedBy} fault={fault}>
    {(attributes) => (
      <input
        {...written}
        {...(input as JSX.IntrinsicElements['input'])}
        {...attributes}
        onInput={({ currentTarget }) => onInput?.(currentTarget.value)}
      />
    )}
  </Labelled>
)

interface WritingProps extends Omit<Labels, 'fault' | 'describedBy'> {
  value: string
  onInput(value: string): void
  rows?: number
  required?: boolean
  maxLength?: number
  isLabelHidden?: boolean
  placeholder?: string | undefined
  onKeyDown?(event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }): void
}

/** A text of several lines. */
export const Writing = ({ label, isLabelHidden, hint, onInput, ...area }: WritingProps) => (
  <Labelled label={label} isLabelHidden={isLabelHidden} hint={hint}>
    {(attributes) => (
      <textarea
        {...written}
        {...area}
        {...attributes}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    )}
  </Labelled>
)

interface NoticeProps {
  kind?: 'info' | 'warn' | 'bad' | 'good'
  children: ComponentChildren
}

/** A message about the page itself. A fault is announced at once. */
export function Notice({ kind = 'info', children }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : undefined}>
      {children}
    </div>
  )
}

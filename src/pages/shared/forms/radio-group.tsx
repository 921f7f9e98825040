import type { ComponentChildren } from 'preact'
import { useContext, useId } from 'preact/hooks'
import { FormValidity } from './validity.js'

interface RadioGroupProps {
  legend: ComponentChildren
  children: ComponentChildren
}

/** The radios of a form, and what is wrong if none is chosen. */
export function RadioGroup({ legend, children }: RadioGroupProps) {
  const id = useId()
  const fault = useContext(FormValidity)?.ofSeveral
  return (
    <fieldset class="stack tight" aria-describedby={fault && id}>
      <legend>{legend}</legend>
      {fault && (
        <p id={id} class="fault small" role="alert">
          {fault}
        </p>
      )}
      {children}
    </fieldset>
  )
}

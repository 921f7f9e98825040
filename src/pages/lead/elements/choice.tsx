import { Labelled, type Labels } from '../../shared/forms/form.js'

interface ChoiceProps extends Labels {
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (value: string) => void
}

/** A list to choose one from. */
export const Choice = ({ value, options, onChange, ...labels }: ChoiceProps) => (
  <Labelled {...labels}>
    {(attributes) => (
      <select
        {...attributes}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {options.map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
      </select>
    )}
  </Labelled>
)

import { type ComponentProps, useId } from 'react'
import { FieldFrame, isFieldLocked, type LabelledFieldProps, type SizedFieldProps } from '#ui/form/Field.tsx'
import { Select } from '#ui/form/Select.tsx'

export interface ChoiceOption {
  value: string | number
  label: string
  help?: string
}

type SelectProps = Omit<ComponentProps<'select'>, 'id' | 'className' | 'disabled' | 'children' | 'size'>

/** Uses the browser's list, which works with every keyboard, screen reader and tablet. */
export function SelectField({
  label,
  help,
  error,
  lockReason,
  optional,
  size,
  options,
  ...select
}: SizedFieldProps & SelectProps & { options: ChoiceOption[] }) {
  return (
    <FieldFrame {...{ label, help, error, lockReason, size, optional }}>
      {(controlProps) => (
        // A locked select is disabled, because `readonly` has no effect on it. Its value is then not submitted, as intended.
        <Select disabled={isFieldLocked({ lockReason })} {...select} {...controlProps}>
          {options.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      )}
    </FieldFrame>
  )
}

type BoxProps = Omit<ComponentProps<'input'>, 'type' | 'id' | 'className' | 'disabled' | 'size'>

/** A checkbox. Use `variant="switch"` if it takes effect immediately or is a right of a user. */
export function CheckField({
  label,
  help,
  error,
  lockReason,
  variant = 'box',
  ...input
}: LabelledFieldProps & BoxProps & { variant?: 'box' | 'switch' }) {
  const id = useId()
  const note = error || lockReason || help
  return (
    <div className={`check ${variant}${error ? ' wrong' : ''}`}>
      <input
        {...input}
        id={id}
        type="checkbox"
        role={variant === 'switch' ? 'switch' : undefined}
        disabled={isFieldLocked({ lockReason })}
        aria-invalid={error ? true : undefined}
        aria-describedby={note ? `${id}-note` : undefined}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {note && (
          <p className={error ? 'field-error' : 'field-help'} id={`${id}-note`}>
            {note}
          </p>
        )}
      </div>
    </div>
  )
}

/** Shows all choices. Spread `register(name)` for all radio buttons, or control `selectedValue`. */
export function RadioField({
  label,
  help,
  error,
  lockReason,
  options,
  selectedValue,
  ...input
}: LabelledFieldProps & BoxProps & { options: ChoiceOption[]; selectedValue?: string }) {
  const id = useId()
  const note = error || lockReason || help
  const getCheckedProps = (value: ChoiceOption['value']) =>
    selectedValue === undefined ? {} : { checked: selectedValue === String(value) }
  return (
    <fieldset className={`radios${error ? ' wrong' : ''}`} aria-describedby={note ? `${id}-note` : undefined}>
      <legend>{label}</legend>
      <div className="radio-row">
        {options.map((option) => (
          <label key={option.value} className="radio">
            <input
              {...input}
              {...getCheckedProps(option.value)}
              type="radio"
              value={option.value}
              disabled={isFieldLocked({ lockReason })}
            />
            <span>
              {option.label}
              {option.help && <span className="field-help">{option.help}</span>}
            </span>
          </label>
        ))}
      </div>
      {note && (
        <p className={error ? 'field-error' : 'field-help'} id={`${id}-note`}>
          {note}
        </p>
      )}
    </fieldset>
  )
}

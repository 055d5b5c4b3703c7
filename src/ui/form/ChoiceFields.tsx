import { type ComponentProps, useId } from 'react'
import { FieldFrame, type Labelled, type Sized } from '#ui/form/Field.tsx'
import { Select } from '#ui/form/Select.tsx'

export interface Option {
  value: string | number
  label: string
  help?: string
}

type SelectProps = Omit<ComponentProps<'select'>, 'id' | 'className' | 'disabled' | 'children' | 'size'>

/** One of several, by the system's own list: every keyboard, reader and tablet knows it. */
export function SelectField({
  label,
  help,
  error,
  locked,
  optional,
  size,
  options,
  ...select
}: Sized & SelectProps & { options: Option[] }) {
  return (
    <FieldFrame {...{ label, help, error, locked, size, optional: optional ?? false }}>
      {(described) => (
        // A locked select is disabled: readonly means nothing to it. Its value is then not submitted, as intended.
        <Select disabled={Boolean(locked)} {...select} {...described}>
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

/** On or off. `look="switch"` where it takes effect at once or is a right that one has. */
export function CheckField({
  label,
  help,
  error,
  locked,
  look = 'box',
  ...input
}: Labelled & BoxProps & { look?: 'box' | 'switch' }) {
  const id = useId()
  const note = error ?? locked ?? help
  return (
    <div className={`check ${look}${error ? ' wrong' : ''}`}>
      <input
        {...input}
        id={id}
        type="checkbox"
        role={look === 'switch' ? 'switch' : undefined}
        disabled={Boolean(locked)}
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

/** A few choices that should all be seen. Spread `register(name)`, which every radio gets, or keep `chosen` yourself. */
export function RadioField({
  label,
  help,
  error,
  locked,
  options,
  chosen,
  ...input
}: Labelled & BoxProps & { options: Option[]; chosen?: string }) {
  const id = useId()
  const note = error ?? locked ?? help
  const checked = (value: Option['value']) => (chosen === undefined ? {} : { checked: chosen === String(value) })
  return (
    <fieldset className={`radios${error ? ' wrong' : ''}`} aria-describedby={note ? `${id}-note` : undefined}>
      <legend>{label}</legend>
      <div className="radio-row">
        {options.map((option) => (
          <label key={option.value} className="radio">
            <input {...input} {...checked(option.value)} type="radio" value={option.value} disabled={Boolean(locked)} />
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

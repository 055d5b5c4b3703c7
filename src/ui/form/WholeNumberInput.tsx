import type { ComponentProps, KeyboardEvent } from 'react'
import { cleanNumber } from '#domain/text.ts'

interface Props extends Omit<ComponentProps<'input'>, 'type' | 'value' | 'min' | 'max' | 'onChange' | 'role'> {
  value: string
  min: number
  max: number
  onType: (text: string) => void
}

/**
 * Input of a whole number as a text field. A number field would change with the mouse wheel and return an empty value for invalid text, so
 * no error could explain it. The arrow keys change the value as in a number field.
 */
export function WholeNumberInput({ value, min, max, onType, onBlur, onKeyDown, ...inputProps }: Props) {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : null
  function normalise() {
    const normalisedText = cleanNumber(value)
    if (normalisedText !== value) onType(normalisedText)
  }
  function handleKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    onKeyDown?.(event)
    // Enter submits the form, so the text must be normalised first.
    if (event.key === 'Enter') normalise()
    const delta = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (delta === undefined || event.currentTarget.readOnly) return
    event.preventDefault()
    if (number !== null || value === '') onType(String(Math.min(max, Math.max(min, (number ?? min - delta) + delta))))
  }
  return (
    <input
      className="input"
      {...inputProps}
      type="text"
      role="spinbutton"
      inputMode="numeric"
      autoComplete="off"
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={number ?? undefined}
      aria-valuetext={number === null ? value : undefined}
      value={value}
      onChange={({ target }) => onType(target.value)}
      onBlur={(event) => {
        normalise()
        onBlur?.(event)
      }}
      onKeyDown={handleKeyDown}
    />
  )
}

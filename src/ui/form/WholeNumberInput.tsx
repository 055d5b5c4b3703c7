import type { ComponentProps, KeyboardEvent } from 'react'
import { tidyNumber } from '#domain/text.ts'

interface Props extends Omit<ComponentProps<'input'>, 'type' | 'value' | 'min' | 'max' | 'onChange' | 'role'> {
  /** As it is typed. */
  value: string
  min: number
  max: number
  onType: (text: string) => void
}

/**
 * A whole number that is typed. It is a text to the browser: a number field would change by the mouse wheel, and give an empty
 * value for what it cannot read, so that nobody could say what is wrong with it. The arrow keys step as they do there.
 */
export function WholeNumberInput({ value, min, max, onType, onBlur, onKeyDown, ...rest }: Props) {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : null
  function tidy() {
    const plain = tidyNumber(value)
    if (plain !== value) onType(plain)
  }
  function press(event: KeyboardEvent<HTMLInputElement>) {
    onKeyDown?.(event)
    // A form that is sent by this key reads what is tidy.
    if (event.key === 'Enter') tidy()
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (by === undefined || event.currentTarget.readOnly) return
    event.preventDefault()
    if (number !== null || value === '') onType(String(Math.min(max, Math.max(min, (number ?? min - by) + by))))
  }
  return (
    <input
      className="input"
      {...rest}
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
        tidy()
        onBlur?.(event)
      }}
      onKeyDown={press}
    />
  )
}

import type { SyntheticEvent } from 'react'
import type { FieldProps } from '#ui/form/Field.tsx'

type BlurFieldProps = Pick<FieldProps, 'onChange' | 'onBlur' | 'onKeyDown'>

/** Adds handlers that normalise the text on blur and on Enter. `onChange` is called with the new text. */
export function normaliseOnBlur<T extends BlurFieldProps>(field: T, normalise: (text: string) => string): T {
  function normaliseField(event: SyntheticEvent<HTMLInputElement>) {
    const input = event.currentTarget
    const text = normalise(input.value)
    if (text === input.value) return
    input.value = text
    field.onChange?.({ ...event, type: 'change', target: input, currentTarget: input })
  }
  return {
    ...field,
    onBlur: (event) => {
      normaliseField(event)
      field.onBlur?.(event)
    },
    // Enter submits the form, so the text must be normalised first.
    onKeyDown: (event) => {
      if (event.key === 'Enter') normaliseField(event)
      field.onKeyDown?.(event)
    },
  } satisfies T
}

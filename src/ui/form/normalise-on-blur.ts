import type { SyntheticEvent } from 'react'
import type { FieldProps } from '#ui/form/Field.tsx'

type BlurFieldProps = Pick<FieldProps, 'onChange' | 'onBlur' | 'onKeyDown'>

/** What a field is given so that its text is put right when it is left: its owner hears of that as of a change. */
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
    // A form that is sent by this key reads what is tidy.
    onKeyDown: (event) => {
      if (event.key === 'Enter') normaliseField(event)
      field.onKeyDown?.(event)
    },
  } satisfies T
}

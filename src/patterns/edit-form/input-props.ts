import type { FormValues } from '#patterns/edit-form/form-values.ts'

export type InputErrors = Partial<Record<string, string>>

interface InputState<Values extends FormValues> {
  values: Values
  errors: InputErrors
  change: (changedValues: Partial<Values>) => void
}

type InputEvent = { target: { value: string } }

export function createInputProps<Values extends FormValues>({ values, errors, change }: InputState<Values>) {
  type Name = keyof Values & string
  const set = (name: Name, value: unknown) => change({ [name]: value } as unknown as Partial<Values>)
  const onChange =
    (name: Name) =>
    ({ target }: InputEvent) =>
      set(name, target.value)
  return {
    getFieldProps: (name: Name) => ({
      name,
      value: values[name] as string,
      error: errors[name],
      onChange: onChange(name),
    }),
    getCheckProps: (name: Name) => ({
      name,
      checked: Boolean(values[name]),
      error: errors[name],
      onChange: ({ target }: { target: { checked: boolean } }) => set(name, target.checked),
    }),
    getRadioProps: (name: Name) => ({
      name,
      selectedValue: values[name] as string,
      error: errors[name],
      onChange: onChange(name),
    }),
    /** Returns the props of a custom field, such as a list of codes or a picture. */
    getValueProps: <N extends Name>(name: N) => ({
      value: values[name],
      error: errors[name],
      onChange: (value: Values[N]) => set(name, value),
    }),
  }
}

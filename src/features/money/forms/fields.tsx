import { useTranslation } from 'react-i18next'
import { useBusinessToday } from '#patterns/useSettings.ts'
import { DateField } from '#ui/form/DateField.tsx'
import { Field, FieldFrame, type SizedFieldProps, useLengthLimit } from '#ui/form/Field.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import type { MoneyForm } from '#features/money/forms/useMoneyForm.ts'

interface BoundFieldProps<F extends string> extends Pick<SizedFieldProps, 'label' | 'help' | 'size' | 'optional'> {
  form: MoneyForm<F>
  name: F
  maxLength?: number
}

/** A field of one line. */
export function LineField<F extends string>({ form, name, ...props }: BoundFieldProps<F>) {
  const { values, faults, change } = form
  return (
    <Field
      name={name}
      autoComplete="off"
      spellCheck={false}
      value={values[name]}
      error={faults[name]}
      onChange={({ target }) => change(name, target.value)}
      {...props}
    />
  )
}

/** A field for an amount, with the keyboard of numbers. */
export function AmountField<F extends string>({ form, name, ...props }: BoundFieldProps<F>) {
  const { values, faults, change } = form
  return (
    <Field
      name={name}
      size="code"
      inputMode="decimal"
      autoComplete="off"
      value={values[name]}
      error={faults[name]}
      onChange={({ target }) => change(name, target.value)}
      {...props}
    />
  )
}

/** A field for a day that is not in the future. */
export function PastDayField<F extends string>({ form, name, ...props }: Omit<BoundFieldProps<F>, 'maxLength'>) {
  const { values, faults, change } = form
  const today = useBusinessToday()
  return (
    <DateField
      name={name}
      max={today ?? undefined}
      value={values[name]}
      error={faults[name]}
      onChange={(text) => change(name, text)}
      {...props}
    />
  )
}

export const noteLimit = 500

/** A field of several lines for a reason. */
export function NoteField<F extends string>({ form, name, label, help }: BoundFieldProps<F>) {
  const { values, faults, change } = form
  const { error, input } = useLengthLimit<HTMLTextAreaElement>(noteLimit, { value: values[name], error: faults[name] })
  return (
    <FieldFrame label={label} help={help} error={error}>
      {(controlProps) => (
        <textarea
          name={name}
          className="input"
          rows={2}
          value={values[name]}
          onChange={({ target }) => change(name, target.value)}
          {...input}
          {...controlProps}
        />
      )}
    </FieldFrame>
  )
}

/** Why nothing was saved, or that it is unknown. `reason`: replaces the general text of the problem. */
export function FormProblem<F extends string>({ form, reason }: { form: MoneyForm<F>; reason?: string | null }) {
  const { t } = useTranslation('bank-transfers')
  return (
    <ProblemNote
      problem={form.problem}
      title={t(form.isUnknown ? 'form.unknown' : 'form.failed')}
      reason={reason}
      shouldFocus
    />
  )
}

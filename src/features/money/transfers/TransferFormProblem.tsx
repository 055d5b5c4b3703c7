import { useTranslation } from 'react-i18next'
import { findRefusalReason } from '#contract/problem.ts'
import { transferStates } from '#domain/credit.ts'
import { FormProblem } from '#features/money/forms/fields.tsx'
import type { MoneyForm } from '#features/money/forms/useMoneyForm.ts'

/** Reasons that also say what to do. Other reasons have the text of the problem. */
const reasons = [...transferStates, 'creditTooLow', 'paidAlready', 'anotherAmount'] as const

interface TransferFormProblemProps<F extends string> {
  form: MoneyForm<F>
  /** Replaces the text if the credit is too low. */
  tooLowText?: string
}

export function TransferFormProblem<F extends string>({ form, tooLowText }: TransferFormProblemProps<F>) {
  const { t } = useTranslation('bank-transfers')
  const { problem } = form
  const reason = findRefusalReason(problem, reasons)
  const text = problem?.code === 'VERSION_CONFLICT' ? t('why.changed') : reason === null ? null : t(`why.${reason}`)
  return <FormProblem form={form} reason={reason === 'creditTooLow' ? (tooLowText ?? text) : text} />
}

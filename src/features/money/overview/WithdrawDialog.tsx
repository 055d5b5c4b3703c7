import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { findRefusalReason, type Problem } from '#contract/problem.ts'
import { type CustomerCredit, withdrawCredit } from '#contract/staff/bank-transfers.ts'
import { type Hundredths, readAmount, writeAmount } from '#domain/money.ts'
import { parseTypedAmount } from '#patterns/parse-typed-amount.ts'
import { useBusinessToday } from '#patterns/useSettings.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useAction } from '#state/use-action.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { hasLength, isPastDay, isTypedAmount } from '#features/money/forms/field-checks.ts'
import {
  AmountField,
  FormProblem,
  LineField,
  NoteField,
  noteLimit,
  PastDayField,
} from '#features/money/forms/fields.tsx'
import { type CloseForm, useCloseQuestion } from '#features/money/forms/useCloseQuestion.tsx'
import { type FormFaults, useMoneyForm } from '#features/money/forms/useMoneyForm.ts'

const fields = ['amount', 'reference', 'date', 'reason', 'confirmation'] as const
type WithdrawField = (typeof fields)[number]

interface WithdrawDialogProps {
  row: CustomerCredit
  onClose: CloseForm
  onDone: () => void
}

/** Records that credit was sent back by transfer. The staff type the code of the company, because it cannot be undone. */
export function WithdrawDialog({ row, onClose, onDone }: WithdrawDialogProps) {
  const { t } = useTranslation('money-page')
  const { company_id, company_code: code, company_name: company, currency } = row
  const today = useBusinessToday()
  const disabledReason = useUnsendableReason(t('offline'))
  const action = useAction(withdrawCredit)
  // The figures are those of the opening, until the server refuses the withdrawal because they have changed.
  const [openedFigures] = useState(() => toFigures(row))
  const { balance, available } = readFigures(action.problem) ?? openedFigures
  const maxText = formatAmount(currency, writeAmount(available))
  const formRef = useRef<HTMLDivElement>(null)
  const form = useMoneyForm<WithdrawField, Parameters<typeof action.run>[0]>({
    formRef,
    fields,
    initialValues: { amount: writeAmount(available), reference: '', date: '', reason: '', confirmation: '' },
    action,
    findFaults(values) {
      const faults: FormFaults<WithdrawField> = {}
      const typedAmount = parseTypedAmount(values.amount) ?? 0n
      if (typedAmount === 0n) faults.amount = t('withdraw.fault.amount')
      else if (typedAmount > available) faults.amount = t('withdraw.fault.tooMuch', { amount: maxText })
      if (!hasLength(values.reference, 100)) faults.reference = t('withdraw.fault.reference')
      if (!isPastDay(values.date, today)) faults.date = t('withdraw.fault.date')
      if (!hasLength(values.reason, noteLimit)) faults.reason = t('withdraw.fault.reason')
      if (values.confirmation.trim().toLowerCase() !== code.toLowerCase())
        faults.confirmation = t('withdraw.fault.confirmation', { code })
      return faults
    },
    formatServerFault: (field, faultCode) =>
      faultCode === 'DUPLICATE' && field === 'reference'
        ? t('withdraw.fault.referenceUsed')
        : t(`withdraw.fault.${field}`, { code }),
    toInput: ({ amount, reference, date, reason }) => ({
      body: {
        company_id,
        currency,
        amount: writeAmount(parseTypedAmount(amount) ?? 0n),
        balance_before: balance,
        reference: reference.trim(),
        date: date.trim(),
        reason: reason.trim(),
        confirmation: code,
      },
    }),
    doneText: (values) => t('withdraw.done', { amount: formatTyped(values.amount), company }),
    onDone,
  })
  const formatTyped = (text: string) => formatAmount(currency, writeAmount(parseTypedAmount(text) ?? 0n))
  const closeQuestion = useCloseQuestion(form, onClose)
  return (
    <ActionDialog
      title={t('withdraw.title', { company })}
      {...closeQuestion}
      kind="danger"
      actionLabel={
        isTypedAmount(form.values.amount)
          ? t('withdraw.send', { amount: formatTyped(form.values.amount) })
          : t('withdraw.sendEmpty')
      }
      isBusy={form.isBusy}
      disabledReason={disabledReason}
      onAction={() => void form.send()}
    >
      <div ref={formRef} className="form">
        <FormProblem form={form} reason={isChanged(form.problem) ? t('withdraw.changed', { amount: maxText }) : null} />
        <p>{t('withdraw.text', { amount: maxText })}</p>
        <AmountField form={form} name="amount" label={t('withdraw.amount', { currency })} />
        <LineField form={form} name="reference" label={t('withdraw.reference')} maxLength={100} />
        <PastDayField form={form} name="date" label={t('withdraw.date')} />
        <NoteField form={form} name="reason" label={t('withdraw.reason')} help={t('withdraw.reasonHelp')} />
        <LineField
          form={form}
          name="confirmation"
          size="code"
          label={t('withdraw.confirmation')}
          help={t('withdraw.confirmationHelp', { code })}
        />
        {disabledReason && <p className="field-help">{disabledReason}</p>}
      </div>
    </ActionDialog>
  )
}

const isChanged = (problem: Problem | null): boolean =>
  findRefusalReason(problem, ['changed', 'creditTooLow'] as const) !== null

/** Returns the figures of a refusal, which are newer than those of the page. */
function readFigures(problem: Problem | null): CreditFigures | null {
  const { balance, available } = (problem?.data ?? {}) as { balance?: unknown; available?: unknown }
  if (typeof balance !== 'string' || typeof available !== 'string') return null
  return { balance, available: readAmount(available) }
}

interface CreditFigures {
  balance: string
  /** The balance without what payments in progress use. */
  available: Hundredths
}

const toFigures = ({ balance, held: heldAmount }: Pick<CustomerCredit, 'balance' | 'held'>): CreditFigures => ({
  balance,
  available: readAmount(balance) - readAmount(heldAmount),
})

import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { type BankTransferRow, correctBankTransfer } from '#contract/staff/bank-transfers.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useAction } from '#state/use-action.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { hasLength } from '#features/money/forms/field-checks.ts'
import { NoteField, noteLimit } from '#features/money/forms/fields.tsx'
import { type CloseForm, useCloseQuestion } from '#features/money/forms/useCloseQuestion.tsx'
import { useMoneyForm } from '#features/money/forms/useMoneyForm.ts'
import { TransferFormProblem } from '#features/money/transfers/TransferFormProblem.tsx'

interface CorrectTransferDialogProps {
  transfer: BankTransferRow
  onClose: CloseForm
  onDone: () => void
}

/** Takes the money of a transfer from the balance of the wrong company, and opens the transfer again. */
export function CorrectTransferDialog({ transfer, onClose, onDone }: CorrectTransferDialogProps) {
  const { t } = useTranslation('bank-transfers')
  const { id, row_version, currency, amount, company_name, invoices } = transfer
  const company = company_name ?? ''
  const sum = formatAmount(currency, amount)
  const disabledReason = useUnsendableReason(t('offline'))
  const formRef = useRef<HTMLDivElement>(null)
  const form = useMoneyForm({
    formRef,
    fields: ['note'] as const,
    initialValues: { note: '' },
    action: useAction(correctBankTransfer),
    findFaults: ({ note }) => (hasLength(note, noteLimit) ? {} : { note: t('fault.note') }),
    formatServerFault: () => t('fault.note'),
    toInput: ({ note }) => ({ params: { id }, body: { note: note.trim(), row_version } }),
    doneText: () => t('correct.done'),
    onDone,
  })
  const closeQuestion = useCloseQuestion(form, onClose)
  return (
    <ActionDialog
      title={t('correct.title', { amount: sum, company })}
      {...closeQuestion}
      kind="danger"
      actionLabel={t('correct.send', { amount: sum })}
      isBusy={form.isBusy}
      disabledReason={disabledReason}
      onAction={() => void form.send()}
      shouldFocusCancel
    >
      <div ref={formRef} className="form">
        <TransferFormProblem form={form} tooLowText={t('correct.used')} />
        <p>{t('correct.text', { amount: sum, company })}</p>
        {invoices.length > 0 && <p>{t('correct.paid', { invoices: invoices.join(', ') })}</p>}
        <NoteField form={form} name="note" label={t('field.note')} help={t('field.noteHelp')} />
        {disabledReason && <p className="field-help">{disabledReason}</p>}
      </div>
    </ActionDialog>
  )
}

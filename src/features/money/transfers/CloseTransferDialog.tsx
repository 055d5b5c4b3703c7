import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { type BankTransferRow, closeBankTransfer } from '#contract/staff/bank-transfers.ts'
import { useBusinessToday } from '#patterns/useSettings.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useAction } from '#state/use-action.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { hasLength, isPastDay } from '#features/money/forms/field-checks.ts'
import { LineField, NoteField, noteLimit, PastDayField } from '#features/money/forms/fields.tsx'
import { type CloseForm, useCloseQuestion } from '#features/money/forms/useCloseQuestion.tsx'
import { type FormFaults, useMoneyForm } from '#features/money/forms/useMoneyForm.ts'
import { TransferFormProblem } from '#features/money/transfers/TransferFormProblem.tsx'

const fields = ['return_reference', 'return_date', 'note'] as const
type CloseField = (typeof fields)[number]

interface CloseTransferDialogProps {
  transfer: BankTransferRow
  state: 'returned' | 'dismissed'
  onClose: CloseForm
  onDone: () => void
}

/** Ends a transfer that no company gets: it was sent back, or it is not a payment of a customer. */
export function CloseTransferDialog({ transfer, state, onClose, onDone }: CloseTransferDialogProps) {
  const { t } = useTranslation('bank-transfers')
  const { id, row_version, currency, amount, sender, day } = transfer
  const today = useBusinessToday()
  const disabledReason = useUnsendableReason(t('offline'))
  const isReturned = state === 'returned'
  const action = useAction(closeBankTransfer)
  const formRef = useRef<HTMLDivElement>(null)
  const form = useMoneyForm({
    formRef,
    fields,
    initialValues: { return_reference: '', return_date: '', note: '' },
    action,
    findFaults(values) {
      const faults: FormFaults<CloseField> = {}
      if (!hasLength(values.note, noteLimit)) faults.note = t('fault.note')
      if (!isReturned) return faults
      if (!hasLength(values.return_reference, 100)) faults.return_reference = t('fault.return_reference')
      if (!isPastDay(values.return_date, today) || values.return_date.trim() < day)
        faults.return_date = t('fault.return_date')
      return faults
    },
    formatServerFault: (field) => t(`fault.${field}`),
    toInput: ({ note, return_reference, return_date }) => ({
      params: { id },
      body: {
        state,
        note: note.trim(),
        row_version,
        ...(isReturned ? { return_reference: return_reference.trim(), return_date: return_date.trim() } : {}),
      },
    }),
    doneText: () => t(`close.${state}.done`),
    onDone,
  })
  const closeQuestion = useCloseQuestion(form, onClose)
  return (
    <ActionDialog
      title={t(`close.${state}.title`, { amount: formatAmount(currency, amount) })}
      {...closeQuestion}
      actionLabel={t(`close.${state}.send`)}
      isBusy={form.isBusy}
      disabledReason={disabledReason}
      onAction={() => void form.send()}
    >
      <div ref={formRef} className="form">
        <TransferFormProblem form={form} />
        <p>{t(`close.${state}.text`, { sender })}</p>
        {isReturned && (
          <>
            <LineField
              form={form}
              name="return_reference"
              label={t('field.returnReference')}
              help={t('field.returnReferenceHelp')}
              maxLength={100}
            />
            <PastDayField form={form} name="return_date" label={t('field.returnDate')} />
          </>
        )}
        <NoteField form={form} name="note" label={t('field.note')} help={t('field.noteHelp')} />
        {disabledReason && <p className="field-help">{disabledReason}</p>}
      </div>
    </ActionDialog>
  )
}

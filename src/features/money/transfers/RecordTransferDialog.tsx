import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { recordBankTransfer } from '#contract/staff/bank-transfers.ts'
import { type Currency, currencies, writeAmount } from '#domain/money.ts'
import { parseTypedAmount } from '#patterns/parse-typed-amount.ts'
import { useBusinessToday } from '#patterns/useSettings.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useAction } from '#state/use-action.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { SelectField } from '#ui/form/choice-fields.tsx'
import { hasLength, isPastDay, isTypedAmount } from '#features/money/forms/field-checks.ts'
import { AmountField, FormProblem, LineField, PastDayField } from '#features/money/forms/fields.tsx'
import { type CloseForm, useCloseQuestion } from '#features/money/forms/useCloseQuestion.tsx'
import { type FormFaults, useMoneyForm } from '#features/money/forms/useMoneyForm.ts'

const fields = ['day', 'currency', 'amount', 'sender', 'reference', 'bank_reference'] as const
type TransferField = (typeof fields)[number]
type TransferValues = Record<TransferField, string>

/** Maximum lengths of the texts, as in the contract. */
const limits = { sender: 200, reference: 200, bank_reference: 100 }

const toBody = ({ day, currency, amount, sender, reference, bank_reference }: TransferValues) => ({
  day: day.trim(),
  currency: currency as Currency,
  amount: writeAmount(parseTypedAmount(amount) ?? 0n),
  sender: sender.trim(),
  reference: reference.trim(),
  bank_reference: bank_reference.trim(),
})

const formatSum = (values: TransferValues) => {
  const { currency, amount } = toBody(values)
  return formatAmount(currency, amount)
}

/** Records a transfer that has arrived and is on no imported statement. */
export function RecordTransferDialog({ onClose, onDone }: { onClose: CloseForm; onDone: () => void }) {
  const { t } = useTranslation('bank-transfers')
  const today = useBusinessToday()
  const action = useAction(recordBankTransfer)
  const disabledReason = useUnsendableReason(t('offline'))
  const formRef = useRef<HTMLDivElement>(null)
  const form = useMoneyForm<TransferField, { body: ReturnType<typeof toBody> }>({
    formRef,
    fields,
    initialValues: { day: '', currency: currencies[0], amount: '', sender: '', reference: '', bank_reference: '' },
    action,
    findFaults(values) {
      const faults: FormFaults<TransferField> = {}
      if (!isPastDay(values.day, today)) faults.day = t('fault.day')
      if (!isTypedAmount(values.amount)) faults.amount = t('fault.amount')
      for (const name of ['sender', 'bank_reference'] as const)
        if (!hasLength(values[name], limits[name])) faults[name] = t(`fault.${name}`)
      if (!hasLength(values.reference, limits.reference, 0)) faults.reference = t('fault.reference')
      return faults
    },
    formatServerFault: (field, code) => (code === 'DUPLICATE' ? t('fault.duplicate') : t(`fault.${field}`)),
    toInput: (values) => ({ body: toBody(values) }),
    doneText: (values) => t('record.done', { amount: formatSum(values) }),
    onDone,
  })
  const { values, change } = form
  const closeQuestion = useCloseQuestion(form, onClose)
  return (
    <ActionDialog
      title={t('record.title')}
      {...closeQuestion}
      actionLabel={
        isTypedAmount(values.amount) ? t('record.send', { amount: formatSum(values) }) : t('record.sendEmpty')
      }
      isBusy={form.isBusy}
      disabledReason={disabledReason}
      onAction={() => void form.send()}
    >
      <div ref={formRef} className="form">
        <FormProblem form={form} />
        <p>{t('record.text')}</p>
        <PastDayField form={form} name="day" label={t('field.day')} help={t('field.dayHelp')} />
        <SelectField
          name="currency"
          label={t('field.currency')}
          size="code"
          options={currencies.map((currency) => ({ value: currency, label: currency }))}
          value={values.currency}
          onChange={({ target }) => change('currency', target.value)}
        />
        <AmountField form={form} name="amount" label={t('field.amount')} />
        <LineField form={form} name="sender" label={t('field.sender')} maxLength={limits.sender} />
        <LineField
          form={form}
          name="reference"
          label={t('field.reference')}
          help={t('field.referenceHelp')}
          maxLength={limits.reference}
          optional
        />
        <LineField
          form={form}
          name="bank_reference"
          label={t('field.bankReference')}
          help={t('field.bankReferenceHelp')}
          maxLength={limits.bank_reference}
        />
        {disabledReason && <p className="field-help">{disabledReason}</p>}
      </div>
    </ActionDialog>
  )
}

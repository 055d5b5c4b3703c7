import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { type BankTransferRow, creditBankTransfer } from '#contract/staff/bank-transfers.ts'
import type { Currency } from '#domain/money.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useAction } from '#state/use-action.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import type { MoneyCompanyPicker } from '#features/money/forms/company-picker.ts'
import type { CloseForm } from '#features/money/forms/useCloseQuestion.tsx'
import { useMoneyForm } from '#features/money/forms/useMoneyForm.ts'
import { findProposal } from '#features/money/transfers/credit-sum.ts'
import { type TransferSelection, useTransferSelection } from '#features/money/transfers/useTransferSelection.ts'
import { CreditItems } from '#features/money/transfers/CreditItems.tsx'
import { TransferFacts } from '#features/money/transfers/TransferFacts.tsx'
import { TransferFormProblem } from '#features/money/transfers/TransferFormProblem.tsx'

interface CreditTransferDialogProps {
  transfer: BankTransferRow
  CompanyPicker: MoneyCompanyPicker
  onClose: CloseForm
  onDone: () => void
}

/** Adds a transfer to the balance of a company and pays the selected items with it. The best proposal is preselected. */
export function CreditTransferDialog({ transfer, CompanyPicker, onClose, onDone }: CreditTransferDialogProps) {
  const { t } = useTranslation('bank-transfers')
  const { id, currency, row_version } = transfer
  const amount = formatAmount(currency, transfer.amount)
  const selection = useTransferSelection(transfer)
  const { companyId, selectedItems } = selection
  const hasItems = selectedItems.length > 0
  const formRef = useRef<HTMLDivElement>(null)
  const form = useMoneyForm({
    formRef,
    fields: ['company_id'] as const,
    initialValues: { company_id: '' },
    action: useAction(creditBankTransfer),
    findFaults: () => (companyId === null ? { company_id: t('fault.company') } : {}),
    formatServerFault: () => t('fault.company'),
    toInput: () => ({
      params: { id },
      body: {
        company_id: companyId ?? 0,
        items: selectedItems.map(({ contractType, id: itemId }) => ({ contractType, id: itemId })),
        row_version,
      },
    }),
    doneText: () => t(hasItems ? 'credit.donePaid' : 'credit.done', { amount }),
    onDone,
  })
  const formReason = selection.blockReason && t(`credit.${selection.blockReason}`)
  return (
    <ActionDialog
      title={t('credit.title', { amount })}
      onClose={() => onClose(form.hasFailed)}
      actionLabel={t(hasItems ? 'credit.sendPaid' : 'credit.send', { amount, count: selectedItems.length })}
      isBusy={form.isBusy}
      disabledReason={useUnsendableReason(t('offline'), formReason)}
      onAction={() => void form.send()}
      isWide
    >
      <div ref={formRef} className={companyId === null ? 'form money-pick' : 'form'}>
        <TransferFormProblem form={form} {...(selection.isHeld && { tooLowText: t('credit.held') })} />
        <TransferFacts transfer={transfer} />
        <ProposedCompany
          CompanyPicker={CompanyPicker}
          transfer={transfer}
          companyId={companyId}
          error={form.faults.company_id ?? null}
          onChoose={(newCompanyId) => {
            selection.chooseCompany(newCompanyId)
            form.change('company_id', String(newCompanyId ?? ''))
          }}
        />
        <PayableItems currency={currency} selection={selection} />
      </div>
    </ActionDialog>
  )
}

interface ProposedCompanyProps {
  CompanyPicker: MoneyCompanyPicker
  transfer: BankTransferRow
  companyId: number | null
  error: string | null
  onChoose: (id: number | null) => void
}

/** The company, with the reason if it was proposed. */
function ProposedCompany({ CompanyPicker, transfer, ...props }: ProposedCompanyProps) {
  const { t } = useTranslation('bank-transfers')
  const proposal = findProposal(transfer, props.companyId)
  const help = proposal && { help: t(`match.${proposal.match}`, { code: proposal.proforma_code ?? '' }) }
  // The dialog focuses its first field, whose list would cover the proposal. Typing opens it.
  return <CompanyPicker label={t('credit.company')} opensOnFocus={!proposal} {...props} {...help} />
}

interface PayableItemsProps {
  currency: Currency
  selection: TransferSelection
}

function PayableItems({
  currency,
  selection: { companyId, payable, problem, retry, ...selection },
}: PayableItemsProps) {
  if (companyId === null) return null
  if (!payable) return problem ? <ProblemNote problem={problem} onRetry={retry} /> : <Skeleton lines={3} />
  const { items, keys, sum, setKeys } = selection
  const hasOtherItems = items.length < payable.items.length
  return <CreditItems {...{ currency, items, hasOtherItems, keys, sum }} onChange={setKeys} />
}

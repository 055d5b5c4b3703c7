import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type BankTransferRow, creditBankTransfer, listPayableItems } from '#contract/staff/bank-transfers.ts'
import { readAmount } from '#domain/money.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useAction } from '#state/use-action.ts'
import { useServerResponse } from '#state/use-server-response.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import type { MoneyCompanyPicker } from '#features/money/company-picker.ts'
import { useMoneyForm } from '#features/money/forms/useMoneyForm.ts'
import {
  calculateCreditSum,
  findProposal,
  formatItemKey,
  getProposedKeys,
} from '#features/money/transfers/credit-sum.ts'
import { CreditItems } from '#features/money/transfers/CreditItems.tsx'
import { TransferFacts } from '#features/money/transfers/TransferFacts.tsx'
import { TransferFormProblem } from '#features/money/transfers/TransferFormProblem.tsx'

interface CreditTransferDialogProps {
  transfer: BankTransferRow
  CompanyPicker: MoneyCompanyPicker
  onClose: () => void
  onDone: () => void
}

/** Adds a transfer to the balance of a company and pays the selected items with it. The best proposal is preselected. */
export function CreditTransferDialog({ transfer, CompanyPicker, onClose, onDone }: CreditTransferDialogProps) {
  const { t } = useTranslation('bank-transfers')
  const { id, currency, amount, row_version } = transfer
  const [companyId, setCompanyId] = useState(transfer.proposals[0]?.company_id ?? null)
  const [keys, setKeys] = useState<readonly string[]>(() => getProposedKeys(transfer, companyId))
  const result = useServerResponse(listPayableItems, companyId === null ? null : { params: { id: companyId } })
  const payable = result?.kind === 'fresh' ? result.output : null
  const items = (payable?.items ?? []).filter((item) => item.currency === currency)
  const selectedItems = items.filter((item) => keys.includes(formatItemKey(item)))
  const credit = payable?.credit.find((row) => row.currency === currency)
  const sum = calculateCreditSum(transfer, readAmount(credit?.available ?? '0.00'), selectedItems)
  const form = useMoneyForm({
    fields: ['company'] as const,
    initialValues: { company: '' },
    action: useAction(creditBankTransfer),
    findFaults: () => (companyId === null ? { company: t('fault.company') } : {}),
    formatServerFault: () => t('fault.company'),
    toInput: () => ({
      params: { id },
      body: {
        company_id: companyId ?? 0,
        items: selectedItems.map(({ contractType, id: itemId }) => ({ contractType, id: itemId })) as [],
        row_version,
      },
    }),
    doneText: () =>
      t(selectedItems.length > 0 ? 'credit.donePaid' : 'credit.done', { amount: formatAmount(currency, amount) }),
    onDone,
  })
  const proposal = findProposal(transfer, companyId)
  const formReason = companyId !== null && !payable ? t('credit.loading') : sum.rest < 0n ? t('credit.tooFew') : null
  const choose = (newCompanyId: number | null) => {
    setCompanyId(newCompanyId)
    setKeys(getProposedKeys(transfer, newCompanyId))
    form.change('company', String(newCompanyId ?? ''))
  }
  return (
    <ActionDialog
      title={t('credit.title', { amount: formatAmount(currency, amount) })}
      onClose={onClose}
      actionLabel={t(selectedItems.length > 0 ? 'credit.sendPaid' : 'credit.send', {
        amount: formatAmount(currency, amount),
        count: selectedItems.length,
      })}
      isBusy={form.isBusy}
      disabledReason={useUnsendableReason(t('offline'), formReason)}
      onAction={() => void form.send()}
      isWide
    >
      <div ref={form.formRef} className="form">
        <TransferFormProblem form={form} />
        <TransferFacts transfer={transfer} />
        <CompanyPicker
          label={t('credit.company')}
          companyId={companyId}
          error={form.faults.company ?? null}
          onChoose={choose}
          {...(proposal ? { help: t(`match.${proposal.match}`, { code: proposal.proforma_code ?? '' }) } : {})}
        />
        {companyId !== null && (
          <>
            {result === undefined && <Skeleton lines={3} />}
            <ProblemNote problem={result?.kind === 'problem' ? result.problem : null} />
            {payable && (
              <CreditItems
                currency={currency}
                items={items}
                hasOtherItems={items.length < payable.items.length}
                keys={keys}
                sum={sum}
                onChange={setKeys}
              />
            )}
          </>
        )}
      </div>
    </ActionDialog>
  )
}

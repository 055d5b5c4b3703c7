import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { BankTransferRow, listBankTransfers } from '#contract/staff/bank-transfers.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { normaliseText } from '#domain/text.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import type { RowAction } from '#ui/list/column.ts'
import { Field } from '#ui/form/Field.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import type { MoneyCompanyPicker } from '#features/money/forms/company-picker.ts'
import type { CloseForm } from '#features/money/forms/useCloseQuestion.tsx'
import { CloseTransferDialog } from '#features/money/transfers/CloseTransferDialog.tsx'
import { buildOpenColumns, buildSettledColumns } from '#features/money/transfers/columns.tsx'
import { CorrectTransferDialog } from '#features/money/transfers/CorrectTransferDialog.tsx'
import { CreditTransferDialog } from '#features/money/transfers/CreditTransferDialog.tsx'
import { TransferList } from '#features/money/transfers/TransferList.tsx'

interface TransferSectionProps {
  transfers: OutputOf<typeof listBankTransfers> | undefined
  asOf: number | null
  isFetching: boolean
  CompanyPicker: MoneyCompanyPicker
  /** Called after each change, so that the page requests everything again. */
  onChanged: () => void
}

type DialogKind = 'credit' | 'returned' | 'dismissed' | 'correct'

/** The open transfers with their proposals, and the settled ones below. */
export function TransferSection({ transfers, asOf, isFetching, CompanyPicker, onChanged }: TransferSectionProps) {
  const { t } = useTranslation('bank-transfers')
  const [searchText, setSearchText] = useState('')
  const [openDialog, setOpenDialog] = useState<{ kind: DialogKind; transfer: BankTransferRow } | null>(null)
  const unsendableReason = useUnsendableReason(t('offline'))
  const openColumns = useMemo(() => buildOpenColumns(t), [t])
  const settledColumns = useMemo(() => buildSettledColumns(t), [t])
  const toAction = (kind: DialogKind, options: Partial<RowAction<BankTransferRow>>): RowAction<BankTransferRow> => ({
    key: kind,
    label: t(`action.${kind}`),
    icon: 'edit',
    hasDialog: true,
    getDisabledReason: () => unsendableReason,
    onSelect: (transfer) => setOpenDialog({ kind, transfer }),
    ...options,
  })
  const openActions = [
    toAction('credit', { icon: 'check', directButton: 'words', isOnPhone: true }),
    toAction('returned', { icon: 'undo' }),
    toAction('dismissed', { icon: 'close' }),
  ]
  const correctActions = [toAction('correct', { icon: 'undo' })]
  const filter = (rows: readonly BankTransferRow[] | undefined) => rows?.filter((row) => isMatch(row, searchText))
  const isFiltered = searchText.trim() !== ''
  const listProps = { asOf, isFetching }
  const close = (mustRead: boolean) => {
    setOpenDialog(null)
    if (mustRead) onChanged()
  }
  return (
    <>
      <div className="money-search">
        <Field
          type="search"
          name="transferSearch"
          label={t('search')}
          autoComplete="off"
          value={searchText}
          onChange={({ target }) => setSearchText(target.value)}
        />
      </div>
      <section className="money-section" aria-labelledby="open-transfers">
        <h2 id="open-transfers">{t('open.title')}</h2>
        <TransferList
          {...listProps}
          caption={t('open.caption')}
          rows={filter(transfers?.open)}
          columns={openColumns}
          getActions={() => openActions}
          emptyContent={
            <EmptyState icon="check" title={t(isFiltered ? 'noneFound' : 'open.none')}>
              {t(isFiltered ? 'noneFoundText' : 'open.noneText')}
            </EmptyState>
          }
        />
      </section>
      <section className="money-section" aria-labelledby="settled-transfers">
        <h2 id="settled-transfers">{t('settled.title')}</h2>
        <TransferList
          {...listProps}
          caption={t('settled.caption')}
          rows={filter(transfers?.settled)}
          columns={settledColumns}
          getActions={({ state }) => (state === 'credited' ? correctActions : [])}
          emptyContent={
            <EmptyState icon="money" title={t(isFiltered ? 'noneFound' : 'settled.none')}>
              {t(isFiltered ? 'noneFoundText' : 'settled.noneText')}
            </EmptyState>
          }
        />
      </section>
      {openDialog && (
        <TransferDialog {...openDialog} CompanyPicker={CompanyPicker} onClose={close} onDone={() => close(true)} />
      )}
    </>
  )
}

interface TransferDialogProps {
  kind: DialogKind
  transfer: BankTransferRow
  CompanyPicker: MoneyCompanyPicker
  onClose: CloseForm
  onDone: () => void
}

function TransferDialog({ kind, CompanyPicker, ...props }: TransferDialogProps) {
  if (kind === 'credit') return <CreditTransferDialog {...props} CompanyPicker={CompanyPicker} />
  if (kind === 'correct') return <CorrectTransferDialog {...props} />
  return <CloseTransferDialog {...props} state={kind} />
}

/** Finds a transfer by what the bank says about it, by the company and by its invoices. */
function isMatch(row: BankTransferRow, searchText: string): boolean {
  const { sender, reference, bank_reference, amount, company_code, company_name, invoices } = row
  const texts = [sender, reference, bank_reference, amount, company_code, company_name, ...invoices]
  return normaliseText(texts.join(' ')).includes(normaliseText(searchText.trim()))
}

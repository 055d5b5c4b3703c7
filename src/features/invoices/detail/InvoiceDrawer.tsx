import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router-dom'
import { isProviderAdmin } from '#domain/access.ts'
import { readAmount } from '#domain/money.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { useAction } from '#state/use-action.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import {
  describeItem,
  describeMethod,
  describeState,
  formatSignedAmount,
  isRefunding,
} from '#features/invoices/describe-invoice.ts'
import { type InvoiceSource, useInvoice } from '#features/invoices/detail/useInvoice.ts'
import { downloadInvoice, openInvoice } from '#features/invoices/print-invoice.ts'
import type { ListedInvoice } from '#features/invoices/slice.ts'
import { invoicesView } from '#features/invoices/view.ts'

/** Only the provider's admins load the code of refunds. */
const RefundButton = lazy(async () => ({
  default: (await import('#features/invoices/refund/RefundButton.tsx')).RefundButton,
}))

const RefundHistory = lazy(async () => ({
  default: (await import('#features/invoices/refund/RefundHistory.tsx')).RefundHistory,
}))

interface InvoiceDrawerProps extends InvoiceSource {
  onClose: () => void
  /** Called after a refund, so that the list is requested again. */
  onChanged: () => void
}

/** Shows all facts of an invoice or a credit note, which has no page of its own. */
export function InvoiceDrawer({ onClose, onChanged, ...source }: InvoiceDrawerProps) {
  const { t } = useTranslation('invoices')
  const { row, isLoading, isUnknown, refetch } = useInvoice(source)
  const handleChange = () => {
    onChanged()
    void refetch()
  }
  const state = row && describeState(row, t)
  const getTitle = () => (row ? t(`detail.title.${row.kind}`, { code: row.code }) : t('detail.loading'))
  return (
    <Dialog
      open
      side="right"
      title={getTitle()}
      titleTag={state && <Tag tone={state.tone}>{state.text}</Tag>}
      onClose={onClose}
      action={
        row && (
          <>
            <PrintButtons row={row} />
            <Refund row={row} onDone={handleChange} />
          </>
        )
      }
      cancel={row ? null : t('detail.close')}
    >
      {row ? (
        <InvoiceDetails row={row} onChanged={handleChange} />
      ) : isLoading ? (
        <Skeleton lines={6} />
      ) : (
        <p>{t(isUnknown ? 'detail.notFound' : 'detail.notHere')}</p>
      )}
    </Dialog>
  )
}

function PrintButtons({ row }: { row: ListedInvoice }) {
  const { t } = useTranslation('invoices')
  const offlineReason = useOfflineReason(t('detail.offline'))
  const opening = useAction(openInvoice)
  const download = useAction(downloadInvoice)
  return (
    <>
      <Button
        kind="primary"
        icon="print"
        isBusy={opening.isBusy}
        disabledReason={offlineReason}
        onClick={() => void opening.run(row)}
      >
        {t(row.kind === 'creditNote' ? 'detail.openCreditNote' : 'detail.open')}
      </Button>
      <Button
        icon="install"
        isBusy={download.isBusy}
        disabledReason={offlineReason}
        onClick={() => void download.run(row)}
      >
        {t('detail.download')}
      </Button>
    </>
  )
}

/** Refunding is for the provider's admins, while anything is left of the invoice. */
function Refund({ row, onDone }: { row: ListedInvoice; onDone: () => void }) {
  const { caller } = useSignedInSession()
  const isRefundable =
    row.kind === 'invoice' && readAmount(row.refunded) + readAmount(row.refunding) < readAmount(row.amount)
  if (!isProviderAdmin(caller) || !isRefundable) return null
  return (
    <Suspense>
      <RefundButton document={row} isDisputed={row.state === 'disputed'} onDone={onDone} />
    </Suspense>
  )
}

/** The provider's admins also see how the invoice was refunded. */
function InvoiceDetails({ row, onChanged }: { row: ListedInvoice; onChanged: () => void }) {
  const { caller } = useSignedInSession()
  return (
    <>
      <InvoiceFacts row={row} />
      {row.kind === 'invoice' && isProviderAdmin(caller) && (
        <Suspense>
          <RefundHistory document={row} onChanged={onChanged} />
        </Suspense>
      )}
    </>
  )
}

function InvoiceFacts({ row }: { row: ListedInvoice }) {
  const { t } = useTranslation('invoices')
  const { company_name: company, po_number: poNumber } = row
  return (
    <DescriptionList>
      <DescriptionItem label={t('column.amount')}>
        <span className="amount invoice-amount">{formatSignedAmount(row)}</span>
      </DescriptionItem>
      <RefundFacts row={row} />
      <DescriptionItem label={t('fact.issued')}>
        <BusinessTime time={row.issued} />
      </DescriptionItem>
      {company !== undefined && (
        <DescriptionItem label={t('column.company')}>
          <bdi lang={getNameLang(company)}>{company}</bdi>
        </DescriptionItem>
      )}
      <DescriptionItem label={t('column.subject')}>{describeItem(row, t)}</DescriptionItem>
      <DescriptionItem label={t('fact.service')}>
        <span lang={getNameLang(row.service_name)}>{row.service_name}</span>{' '}
        <span className="invoice-code">{row.service_code}</span>
      </DescriptionItem>
      <DescriptionItem label={t('fact.contract')}>
        <ContractLink row={row} />
      </DescriptionItem>
      <DescriptionItem label={t('column.po')}>{poNumber ?? t('fact.noPo')}</DescriptionItem>
      <DescriptionItem label={t('column.method')}>{describeMethod(row, t)}</DescriptionItem>
      <DescriptionItem label={t('fact.reference')}>
        <span className="invoice-code">{row.reference}</span>
      </DescriptionItem>
    </DescriptionList>
  )
}

/** Links between an invoice and its credit notes, and the refund in progress, which has no credit note yet. */
function RefundFacts({ row }: { row: ListedInvoice }) {
  const { t } = useTranslation('invoices')
  const { kind, invoice_code: code, currency, refunded, refunding } = row
  const [query] = useSearchParams()
  if (kind === 'creditNote')
    return (
      <DescriptionItem label={t('fact.credited')}>
        <Link className="invoice-link invoice-code" replace to={buildInvoicePath(query, row.invoice_document_id)}>
          {code}
        </Link>
      </DescriptionItem>
    )
  return (
    <>
      {readAmount(refunded) > 0n && (
        <DescriptionItem label={t('fact.refunded')}>
          <Amount currency={currency} amount={refunded} />{' '}
          <Link className="invoice-link" to={buildCreditNotesPath(query, code)}>
            {t('fact.toCreditNotes')}
          </Link>
        </DescriptionItem>
      )}
      {isRefunding(row) && (
        <DescriptionItem label={t('fact.refunding')}>
          <Amount currency={currency} amount={refunding} />
        </DescriptionItem>
      )}
    </>
  )
}

/** Opens an invoice over the same list. In the history it replaces the credit note, so that closing leads to the list. */
const buildInvoicePath = (query: URLSearchParams, id: number) =>
  `?${invoicesView.write({ ...invoicesView.read(query), open: id })}`

/** Lists the credit notes of an invoice, of the same company or all. */
const buildCreditNotesPath = (query: URLSearchParams, code: string) => {
  const { defaultView, read, write } = invoicesView
  return `?${write({ ...defaultView, company: read(query).company, kind: 'creditNote', searchText: code })}`
}

/** Leads to the page of the paid order. A backup or traffic leads to the contract of its service. */
function ContractLink({ row }: { row: ListedInvoice }) {
  const { t } = useTranslation('invoices')
  const { order_id: orderId, service_code: code, company_id: companyId, company_name: company } = row
  const scope = company === undefined ? '' : `company=${companyId}&`
  const path = orderId === null ? `/app/contract?${scope}searchText=${code}` : `/app/contract/${orderId}`
  return (
    <Link className="invoice-link" to={path}>
      {t('fact.toContract', { code })}
    </Link>
  )
}

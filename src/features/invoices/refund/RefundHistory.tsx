import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { type DisputeRow, listRefunds, type RefundRow } from '#contract/staff/refunds.ts'
import { groupThousands, readAmount, writeAmount } from '#domain/money.ts'
import { WithdrawRefundButton } from '#patterns/refunds/WithdrawRefundButton.tsx'
import { canWithdraw } from '#patterns/refunds/withdrawal.ts'
import { usePolling } from '#patterns/usePolling.ts'
import { useRecord } from '#state/use-record.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'
import { formatReadingTime } from '#ui/page/business-clock.ts'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import '#features/invoices/refund/words.ts'
import { describeMoney, describeState, getRefundTone } from '#patterns/refunds/describe-refund.ts'
import { getFigures, type RefundedDocument } from '#features/invoices/refund/refund-form.ts'

const pollMs = 5000

interface RefundHistoryProps {
  document: RefundedDocument
  /** Called when the refunds are newer than the invoice. */
  onChanged: () => void
}

/**
 * Shows the staff all refunds of an invoice: the amount, the route, where the money is, and what can still be refunded. It works offline with
 * what the device has read.
 */
export function RefundHistory({ document, onChanged }: RefundHistoryProps) {
  const { t } = useTranslation('refunds')
  const isOnline = useConnection().networkState === 'online'
  const { record, asOf, problem, refetch } = useRecord(listRefunds, { query: { invoice: document.id } })
  const { refunds = [], disputes = [] } = record ?? {}
  const documentSums = `${document.refunded} ${document.refunding}`
  useRefetchOnChange(documentSums, refetch)
  const refundSums = record ? writeSums(record.refunds) : documentSums
  const handleNewSums = useLatestCallback(() => {
    if (isOnline && refundSums !== documentSums) onChanged()
  })
  useEffect(handleNewSums, [refundSums, handleNewSums])
  usePolling(isOnline && refunds.some(({ ended }) => ended === null), pollMs, () => void refetch())
  if (!record && problem) return <LoadProblem problem={problem} onRetry={() => void refetch()} />
  if (refunds.length + disputes.length === 0) return null
  return (
    <section className="refund-history">
      <h3>{t('history.title')}</h3>
      <p>{t('history.left', formatFigures(document))}</p>
      <ul className="credit-entries">
        {disputes.map((dispute) => (
          <DisputeItem key={`dispute ${dispute.id}`} dispute={dispute} />
        ))}
        {refunds.toReversed().map((refund) => (
          <RefundItem key={refund.id} refund={refund} onChanged={() => void refetch()} />
        ))}
      </ul>
      {!isOnline && asOf !== null && (
        <p className="field-help">{t('history.asOf', { time: formatReadingTime(asOf) })}</p>
      )}
    </section>
  )
}

/** Returns the sums of the refunds that are done and in progress, like those of the invoice. */
function writeSums(refunds: readonly RefundRow[]): string {
  const sum = (isPart: (refund: RefundRow) => boolean) =>
    writeAmount(refunds.filter(isPart).reduce((total, { amount }) => total + readAmount(amount), 0n))
  const done = sum(({ state, invoice_id: invoiceId }) => state === 'done' && invoiceId !== null)
  return `${done} ${sum(({ ended }) => ended === null)}`
}

/** Requests the refunds again if the sums of the invoice have changed since the first request. */
function useRefetchOnChange(sums: string, refetch: () => Promise<void>) {
  const readSums = useRef(sums)
  useEffect(() => {
    if (readSums.current === sums) return
    readSums.current = sums
    void refetch()
  }, [sums, refetch])
}

function formatFigures(document: RefundedDocument) {
  const { currency, amount } = document
  const left = writeAmount(getFigures(document).left)
  return { left: `${currency} ${groupThousands(left)}`, amount: `${currency} ${groupThousands(amount)}` }
}

function RefundItem({ refund, onChanged }: { refund: RefundRow; onChanged: () => void }) {
  const { t } = useTranslation('refunds')
  const { caller } = useSignedInSession()
  const { currency, amount, state, credit_note_code: note, user_name: userName, requested, ended } = refund
  const { reason, invoice_id: invoiceId } = refund
  return (
    <li>
      <Amount currency={currency} amount={amount} />
      <Tag tone={getRefundTone(refund)}>{describeState(refund, t)}</Tag>
      <span className="credit-about">
        <span>{describeMoney(refund, t)}</span>
        {invoiceId === null && state === 'done' && <span>{t('history.unassigned')}</span>}
        {reason !== null && <span>{reason}</span>}
        <span>
          {note !== null && <span className="invoice-code">{note} </span>}
          <BusinessTime time={ended ?? requested} />
          {userName !== null && ` · ${userName}`}
        </span>
      </span>
      {canWithdraw(caller, refund) && <WithdrawRefundButton refund={refund} onDone={onChanged} />}
    </li>
  )
}

function DisputeItem({ dispute }: { dispute: DisputeRow }) {
  const { t } = useTranslation('refunds')
  const { currency, amount, is_inquiry: isInquiry, respond_by: respondBy, opened_time: openedTime } = dispute
  return (
    <li>
      <span className="amount">{`${currency} ${groupThousands(amount)}`}</span>
      <Tag tone="danger">{t(isInquiry ? 'history.inquiry' : 'history.dispute')}</Tag>
      <span className="credit-about">
        {respondBy !== null && <span>{t('history.respond', { time: respondBy.slice(0, 16) })}</span>}
        <BusinessTime time={openedTime} />
      </span>
    </li>
  )
}

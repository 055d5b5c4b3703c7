import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { reconcilePayments } from '#contract/payments.ts'
import { type DisputeRow, type ListedRefund, listRefunds } from '#contract/staff/refunds.ts'
import { isAllowed } from '#domain/access.ts'
import { groupThousands } from '#domain/money.ts'
import { describeGatewayReason, describeMoney, getRefundState } from '#patterns/refunds/describe-refund.ts'
import { WithdrawRefundDialog } from '#patterns/refunds/WithdrawRefundDialog.tsx'
import { canWithdraw, isWithdrawn } from '#patterns/refunds/withdrawal.ts'
import { useAction } from '#state/use-action.ts'
import { useRecord } from '#state/use-record.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import type { DutyButton, HomeDuty } from '#ui/page/home-report.ts'
import { SettleRefundDialog } from '#features/payment-tasks/home/SettleRefundDialog.tsx'
import { useRefundPolling } from '#features/payment-tasks/home/useRefundPolling.ts'

const formatAmount = ({ currency, amount }: { currency: string; amount: string }) =>
  `${currency} ${groupThousands(amount)}`

const madeTitles = { gateway: 'task.madeTitle', dispute: 'task.lostTitle' } as const

/**
 * Duties of the staff: refunds that were made at a gateway or refused by one, refunds in progress, and disputes with the time until which to
 * respond.
 */
export function useRefundDuties(isOnline: boolean, disabledReason: string | null) {
  const { t } = useTranslation('refunds')
  const { caller } = useSignedInSession()
  const listRecord = useRecord(listRefunds, {})
  const { record, refetch } = listRecord
  const reconciliation = useAction(reconcilePayments)
  const [dialogRefund, setDialogRefund] = useState<ListedRefund | null>(null)
  const RefundDialog = dialogRefund?.ended === null ? WithdrawRefundDialog : SettleRefundDialog
  const refunds = record?.refunds ?? []
  const runningIds = refunds.filter(({ ended }) => ended === null).map(({ id }) => id)
  useRefundPolling(isOnline, runningIds, () => void refetch())

  /** Starts a check of the refunds and disputes that have not ended. */
  async function check() {
    const result = await reconciliation.run({ body: {} }, { until: 'started' })
    const text = t(result.kind === 'problem' ? 'task.checkFailed' : 'task.checking')
    showToast({ kind: result.kind === 'problem' ? 'failed' : 'note', text })
    await refetch()
  }
  const checkAction: DutyButton = { label: t('task.check'), run: () => void check(), disabledReason }

  /** Only staff with the order flag have the list of all invoices. */
  const linkTo = (label: string, path: string): Pick<HomeDuty, 'otherAction'> =>
    isAllowed('staffOrder', caller) ? { otherAction: { label, path } } : {}

  const getTitle = (refund: ListedRefund) => {
    const { cause, currency, total } = refund
    const amount = formatAmount({ currency, amount: total })
    const state = getRefundState(refund)
    if (state === 'returned' || state === 'beyond') return t(`task.${state}Title`, { amount })
    if (cause !== 'staff') return t(madeTitles[cause], { amount })
    return t(state === 'failed' ? 'task.refusedTitle' : 'task.runningTitle', { amount })
  }
  const getAction = (refund: ListedRefund): DutyButton => {
    const run = () => setDialogRefund(refund)
    if (refund.ended !== null)
      return { label: refund.invoices.length > 0 ? t('task.assign') : t('task.settle'), run, disabledReason }
    return canWithdraw(caller, refund) ? { label: t('withdraw.act'), run, disabledReason } : checkAction
  }
  const toRefundDuty = (refund: ListedRefund): HomeDuty => {
    const { company_name: company, service_code: code, invoice_codes: invoiceCodes, ended, requested } = refund
    const { document_id: documentId, payment_reference: paymentReference } = refund
    const about = t('task.about', {
      company,
      code,
      invoice: invoiceCodes.join(', ') || t('task.unknownInvoice'),
      time: (ended ?? requested).slice(0, 16),
    })
    const isStuck = ended === null && (refund.problem !== null || isWithdrawn(refund))
    const refusal = isStuck ? describeMoney(refund, t) : describeGatewayReason(refund.problem ?? '')
    return {
      key: `refund ${refund.id}`,
      at: '',
      icon: 'price',
      isUrgent: ended !== null || canWithdraw(caller, refund),
      title: getTitle(refund),
      text: refusal ? t('task.aboutMore', { about, more: refusal }) : about,
      action: getAction(refund),
      ...(documentId === null || invoiceCodes.length > 1
        ? linkTo(t('task.toInvoices'), toListPath(paymentReference))
        : linkTo(t('task.toInvoice'), `/app/invoice?invoice=${documentId}`)),
    }
  }
  const getDisputeTitle = ({ is_inquiry: isInquiry, respond_by }: DisputeRow, amount: string) => {
    const date = respond_by?.slice(0, 16)
    if (!date) return t(isInquiry ? 'task.inquiryTitle' : 'task.disputeTitle', { amount })
    return t(isInquiry ? 'task.inquiryUntil' : 'task.disputeUntil', { amount, date })
  }
  const toDisputeDuty = (dispute: DisputeRow): HomeDuty => {
    const amount = formatAmount(dispute)
    const { company_name: company, service_code: code, invoices, opened_time: openedTime, reason } = dispute
    const invoice = invoices.join(', ') || t('task.unknownInvoice')
    const about = t('task.about', { company, code, invoice, time: openedTime.slice(0, 16) })
    return {
      key: `dispute ${dispute.id}`,
      at: dispute.respond_by?.slice(0, 10) ?? '',
      icon: 'alert',
      isUrgent: true,
      title: getDisputeTitle(dispute, amount),
      text: t('task.aboutMore', { about, more: describeGatewayReason(reason) }),
      action: checkAction,
      ...linkTo(t(invoices.length === 1 ? 'task.toInvoice' : 'task.toInvoices'), toListPath(dispute.payment_reference)),
    }
  }
  const onDone = () => {
    setDialogRefund(null)
    void refetch()
  }
  return {
    listRecord,
    duties: [...(record?.disputes ?? []).map(toDisputeDuty), ...refunds.map(toRefundDuty)],
    dialog: dialogRefund && (
      <RefundDialog refund={dialogRefund} onClose={() => setDialogRefund(null)} onDone={onDone} />
    ),
  }
}

/** Returns the address of the invoices that a payment paid. */
const toListPath = (paymentReference: string) => `/app/invoice?${new URLSearchParams({ searchText: paymentReference })}`

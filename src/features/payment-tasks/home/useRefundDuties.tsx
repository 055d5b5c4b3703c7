import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type DisputeRow, type ListedRefund, listRefunds } from '#contract/staff/refunds.ts'
import { groupThousands } from '#domain/money.ts'
import { usePolling } from '#patterns/usePolling.ts'
import { useRecord } from '#state/use-record.ts'
import type { HomeDuty } from '#ui/page/home-report.ts'
import { SettleRefundDialog } from '#features/payment-tasks/home/SettleRefundDialog.tsx'

/** Interval of the requests while a refund is in progress, ms. */
const pollMs = 2000

const formatAmount = ({ currency, amount }: { currency: string; amount: string }) =>
  `${currency} ${groupThousands(amount)}`

/** Duties of the staff: refunds that were made at a gateway, refunds in progress, and disputes with the time until which to respond. */
export function useRefundDuties(isOnline: boolean, disabledReason: string | null) {
  const { t } = useTranslation('refunds')
  const { record, problem, refetch } = useRecord(listRefunds, {})
  const [dialogRefund, setDialogRefund] = useState<ListedRefund | null>(null)
  const refunds = record?.refunds ?? []
  usePolling(isOnline && refunds.some(({ ended }) => ended === null), pollMs, () => void refetch())

  const getTitle = (refund: ListedRefund) => {
    const amount = formatAmount(refund)
    if (refund.source === 'gateway') return t(isLoss(refund) ? 'task.lostTitle' : 'task.madeTitle', { amount })
    return t(refund.state === 'failed' ? 'task.refusedTitle' : 'task.runningTitle', { amount })
  }
  const toRefundDuty = (refund: ListedRefund): HomeDuty => {
    const { company_name: company, service_code: code, invoice_code, ended, requested, problem: refusal } = refund
    const about = t('task.about', {
      company,
      code,
      invoice: invoice_code ?? t('task.unknownInvoice'),
      time: ended ?? requested,
    })
    const isTask = refund.source === 'gateway'
    const settleLabel = refund.invoices.length > 0 ? t('task.assign') : t('task.settle')
    return {
      key: `refund ${refund.id}`,
      at: '',
      icon: 'price',
      isUrgent: isTask,
      title: getTitle(refund),
      text: refusal ? t('task.aboutRefused', { about, problem: refusal }) : about,
      action: isTask
        ? { label: settleLabel, run: () => setDialogRefund(refund), disabledReason }
        : { label: t('task.check'), run: () => void refetch(), disabledReason },
    }
  }
  const getDisputeTitle = ({ is_inquiry: isInquiry, respond_by }: DisputeRow, amount: string) => {
    const date = respond_by?.slice(0, 16)
    if (!date) return t(isInquiry ? 'task.inquiryTitle' : 'task.disputeTitle', { amount })
    return t(isInquiry ? 'task.inquiryUntil' : 'task.disputeUntil', { amount, date })
  }
  const toDisputeDuty = (dispute: DisputeRow): HomeDuty => {
    const amount = formatAmount(dispute)
    const { company_name: company, service_code: code, invoices, opened_time: time } = dispute
    return {
      key: `dispute ${dispute.id}`,
      at: dispute.respond_by?.slice(0, 10) ?? '',
      icon: 'alert',
      isUrgent: true,
      title: getDisputeTitle(dispute, amount),
      text: t('task.about', { company, code, invoice: invoices.join(', ') || t('task.unknownInvoice'), time }),
      action: { label: t('task.check'), run: () => void refetch(), disabledReason },
    }
  }
  const onDone = () => {
    setDialogRefund(null)
    void refetch()
  }
  return {
    isKnown: record !== null,
    problem,
    refetch,
    duties: [...(record?.disputes ?? []).map(toDisputeDuty), ...refunds.map(toRefundDuty)],
    dialog: dialogRefund && (
      <SettleRefundDialog refund={dialogRefund} onClose={() => setDialogRefund(null)} onDone={onDone} />
    ),
  }
}

/** Money that the bank took back after a lost dispute has the number of the dispute. */
const isLoss = ({ reference }: ListedRefund) => /^d[up]_/.test(reference ?? '')

import { groupThousands, type Hundredths, readAmount, writeAmount } from '#domain/money.ts'
import { getCreditPart } from '#domain/credit.ts'
import { getAmountLimits, getAmountRefusal, type PaymentType } from '#domain/payments.ts'
import { getSettings } from '#contract/accounts.ts'
import { useCompanyCredit } from '#patterns/useCompanyCredit.ts'
import { useRecord } from '#state/use-record.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'
import {
  canPayByTransfer,
  getPaymentMethods,
  type PayableOrder,
  type PaymentMethod,
} from '#features/orders/payment/payment-api.ts'

export type PaymentOffer = ReturnType<typeof usePaymentOffer>

/** Returns the payment methods for an order on this installation, with a reason for each that cannot be used. Credit is used first. */
export function usePaymentOffer(order: PayableOrder) {
  const { currency, amount: orderAmount, pay_amount: payAmount, due, items } = order
  const { t } = useTranslation('payment')
  const { caller } = useSignedInSession()
  const isOnline = useConnection().networkState === 'online'
  const { record, problem, refetch } = useRecord(getSettings, {})
  const credit = useCompanyCredit(order.company_id, currency)
  const settings = credit.isKnown ? record?.payment : undefined
  const total = payAmount ?? orderAmount ?? '0.00'
  const amount = readAmount(total)
  const split = splitAmount(amount, credit.available, currency)
  const methods = settings ? getPaymentMethods(settings, currency, caller) : []
  const offlineText = items
    ? t(due ? 'offlineItems' : 'offlineUndated', { date: due ?? '' })
    : t('offline', { date: due ?? '' })
  const getAmountReason = (type: PaymentMethod) => {
    if (type === 'credit') return null
    const reason = getAmountRefusal(type, currency, split(type).left)
    const limits = getAmountLimits(type, currency)
    if (!reason || !limits) return null
    const limit = writeAmount(reason === 'tooSmall' ? limits.min : limits.max)
    return t(`notTaken.${reason}`, { limit: `${currency} ${groupThousands(limit)}` })
  }
  const acceptedMethod = methods.find((type) => getAmountReason(type) === null)
  const isCovered = amount > 0n && credit.available >= amount
  const firstMethod: PaymentMethod | undefined = isCovered && settings ? 'credit' : (acceptedMethod ?? methods[0])
  return {
    /** The whole amount, of which credit pays a part. */
    total,
    currency,
    /** Returns what credit pays if the rest is paid by this method, and that rest. */
    getParts: (type: PaymentMethod) => {
      const parts = split(type)
      return { credit: writeAmount(parts.credit), left: writeAmount(parts.left) }
    },
    refetchCredit: credit.refetch,
    /** Undefined until the settings and the credit are loaded. If loading failed, `problem` has the reason. */
    settings,
    problem,
    refetch,
    isOnline,
    offlineReason: isOnline ? null : offlineText,
    /** Prefers a method that accepts the amount. Undefined if this installation has no method. */
    firstMethod,
    /** Empty if credit pays all. */
    otherMethods: isCovered ? [] : methods.filter((type) => type !== firstMethod),
    canTransfer: settings !== undefined && !isCovered && canPayByTransfer(settings, currency),
    isAccepted: isCovered || acceptedMethod !== undefined,
    getAmountReason,
    getHelp: (type: PaymentMethod) => getAmountReason(type) ?? t(`help.${type}`),
  }
}

const splitAmount =
  (amount: Hundredths, available: Hundredths, currency: PayableOrder['currency']) =>
  (method: PaymentMethod): { credit: Hundredths; left: Hundredths } => {
    const type: PaymentType | null = method === 'credit' ? null : method
    const credit = available > 0n ? getCreditPart({ amount, available }, { type, currency }) : 0n
    return { credit, left: amount - credit }
  }

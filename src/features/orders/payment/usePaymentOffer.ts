import { useState } from 'react'
import { type Currency, type Hundredths, readAmount, writeAmount } from '#domain/money.ts'
import type { Caller } from '#domain/access.ts'
import { getCreditPart } from '#domain/credit.ts'
import { getAmountLimits, getAmountRefusal, type PaymentType } from '#domain/payments.ts'
import { getSettings } from '#contract/accounts.ts'
import { useCompanyCredit } from '#patterns/useCompanyCredit.ts'
import { useRecord } from '#state/use-record.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { useTranslation } from 'react-i18next'
import {
  canPayByTransfer,
  getPaymentMethods,
  type PayableOrder,
  type PaymentMethod,
  type PaymentSettings,
} from '#features/orders/payment/payment-api.ts'

export type PaymentOffer = ReturnType<typeof usePaymentOffer>

/** Returns the payment methods for an order on this installation, with a reason for each that cannot be used. Credit is used first. */
export function usePaymentOffer(order: PayableOrder) {
  const { currency } = order
  const { t } = useTranslation('payment')
  const { caller } = useSignedInSession()
  const isOnline = useConnection().networkState === 'online'
  const { record, problem, refetch } = useRecord(getSettings, {})
  const credit = useCompanyCredit(order.company_id, currency)
  // Also has what open attempts of these items hold, which the stored balance does not count as available.
  const [serverCredit, setServerCredit] = useState<Hundredths | null>(null)
  const available = serverCredit ?? credit.available
  const settings = credit.isKnown ? record?.payment : undefined
  const total = order.pay_amount ?? order.amount ?? '0.00'
  const amount = readAmount(total)
  const split = splitAmount(amount, available, currency)
  const offlineText = useOfflineText(order)
  const getAmountReason = (type: PaymentMethod) => {
    const refusal = type === 'credit' ? null : findAmountRefusal(type, currency, split(type).left)
    return refusal && t(`notTaken.${refusal.reason}`, { limit: formatAmount(currency, writeAmount(refusal.limit)) })
  }
  const isCovered = amount > 0n && available >= amount
  const methods = listMethods(settings, { currency, caller, isCovered })
  const acceptedMethod = methods.find((type) => getAmountReason(type) === null)
  const firstMethod = acceptedMethod ?? methods[0]
  return {
    /** The whole amount, of which credit pays a part. */
    total,
    currency,
    /** Returns what credit pays if the rest is paid by this method, and that rest. */
    getParts: (type: PaymentMethod) => {
      const parts = split(type)
      return { credit: writeAmount(parts.credit), left: writeAmount(parts.left) }
    },
    /** Counts with the credit that the server has named as available for these items. */
    adoptCredit: setServerCredit,
    /** Counts with credit that pays all, as the server has said. */
    adoptCover: () => setServerCredit(amount),
    /** Undefined until the settings and the credit are loaded. If loading failed, `problem` has the reason. */
    settings,
    problem,
    refetch,
    isOnline,
    offlineReason: isOnline ? null : offlineText,
    /** Prefers a method that accepts the amount. `credit` if it pays all. Undefined if this installation has no method. */
    firstMethod,
    otherMethods: methods.filter((type) => type !== firstMethod),
    canTransfer: settings !== undefined && !isCovered && canPayByTransfer(settings, currency),
    isAccepted: acceptedMethod !== undefined,
    getAmountReason,
    getHelp: (type: PaymentMethod) => getAmountReason(type) ?? t(`help.${type}`),
  }
}

function useOfflineText({ due, items }: PayableOrder): string {
  const { t } = useTranslation('payment')
  if (!items) return t('offline', { date: due ?? '' })
  return t(due ? 'offlineItems' : 'offlineUndated', { date: due ?? '' })
}

interface MethodContext {
  currency: Currency
  caller: Caller
  /** Credit pays all. */
  isCovered: boolean
}

/** Returns only credit if it pays all, because no gateway is called then. */
function listMethods(settings: PaymentSettings | undefined, context: MethodContext): PaymentMethod[] {
  if (!settings) return []
  return context.isCovered ? ['credit'] : getPaymentMethods(settings, context.currency, context.caller)
}

function findAmountRefusal(type: PaymentType, currency: Currency, amount: Hundredths) {
  const reason = getAmountRefusal(type, currency, amount)
  const limits = getAmountLimits(type, currency)
  return reason && limits && { reason, limit: reason === 'tooSmall' ? limits.min : limits.max }
}

const splitAmount =
  (amount: Hundredths, available: Hundredths, currency: Currency) =>
  (method: PaymentMethod): { credit: Hundredths; left: Hundredths } => {
    const type = method === 'credit' ? null : method
    const credit = available > 0n ? getCreditPart({ amount, available }, { type, currency }) : 0n
    return { credit, left: amount - credit }
  }

import { groupThousands, readAmount, writeAmount } from '#domain/money.ts'
import { getAmountLimits, getAmountRefusal, type PaymentType } from '#domain/payments.ts'
import { getSettings } from '#contract/accounts.ts'
import { useRecord } from '#state/use-record.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'
import { getPaymentMethods, type PayableOrder } from '#features/orders/payment/payment-api.ts'

export type PaymentOffer = ReturnType<typeof usePaymentOffer>

/** Returns the payment methods for an order on this installation, with a reason for each that cannot be used. */
export function usePaymentOffer({ currency, amount: orderAmount, pay_amount: payAmount, due, items }: PayableOrder) {
  const { t } = useTranslation('payment')
  const { caller } = useSignedInSession()
  const isOnline = useConnection().networkState === 'online'
  const { record, problem, refetch } = useRecord(getSettings, {})
  const settings = record?.payment
  const amount = payAmount ?? orderAmount ?? '0.00'
  const methods = settings ? getPaymentMethods(settings, currency, caller) : []
  const offlineText = items
    ? t(due ? 'offlineItems' : 'offlineUndated', { date: due ?? '' })
    : t('offline', { date: due ?? '' })
  const getAmountReason = (type: PaymentType) => {
    const reason = getAmountRefusal(type, currency, readAmount(amount))
    const limits = getAmountLimits(type, currency)
    if (!reason || !limits) return null
    const limit = writeAmount(reason === 'tooSmall' ? limits.min : limits.max)
    return t(`notTaken.${reason}`, { limit: `${currency} ${groupThousands(limit)}` })
  }
  const acceptedMethod = methods.find((type) => getAmountReason(type) === null)
  const firstMethod = acceptedMethod ?? methods[0]
  return {
    amount,
    currency,
    /** Undefined until the settings are loaded. If loading failed, `problem` has the reason. */
    settings,
    problem,
    refetch,
    isOnline,
    offlineReason: isOnline ? null : offlineText,
    /** Prefers a method that accepts the amount. Undefined if this installation has no method. */
    firstMethod,
    otherMethods: methods.filter((type) => type !== firstMethod),
    isAccepted: acceptedMethod !== undefined,
    getAmountReason,
    getHelp: (type: PaymentType) => getAmountReason(type) ?? t(`help.${type}`),
  }
}

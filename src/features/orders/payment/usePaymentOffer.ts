import { groupThousands, readAmount, writeAmount } from '#domain/money.ts'
import { getAmountLimits, getAmountRefusal, type PaymentType } from '#domain/payments.ts'
import { getSettings } from '#contract/accounts.ts'
import { useRecord } from '#state/use-record.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'
import { getPaymentMethods, type PayableOrder } from '#features/orders/payment/payment-api.ts'

export type PaymentOffer = ReturnType<typeof usePaymentOffer>

/** By which methods of this installation an order can be paid, and why not. */
export function usePaymentOffer({ currency, amount: orderAmount, pay_amount: payAmount, due }: PayableOrder) {
  const { t } = useTranslation('payment')
  const { caller } = useSignedInSession()
  const isOnline = useConnection().networkState === 'online'
  const { record, problem, refetch } = useRecord(getSettings, {})
  const settings = record?.payment
  const amount = payAmount ?? orderAmount ?? '0.00'
  const methods = settings ? getPaymentMethods(settings, currency, caller) : []
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
    /** Undefined: not read yet; then `problem` may say why. */
    settings,
    problem,
    refetch,
    isOnline,
    offlineReason: isOnline ? null : t('offline', { date: due ?? '' }),
    /** One that takes the amount, if there is any; undefined: none is set up here. */
    firstMethod,
    otherMethods: methods.filter((type) => type !== firstMethod),
    isAccepted: acceptedMethod !== undefined,
    getAmountReason,
    getHelp: (type: PaymentType) => getAmountReason(type) ?? t(`help.${type}`),
  }
}

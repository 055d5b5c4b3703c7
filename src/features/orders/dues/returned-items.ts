/** Items of the payment from which a payer returns to the list: `?status=0&pay=CONTRACT-12,TRAFFIC-4&payment=paid`. */
import { useLocation } from 'react-router-dom'
import { maxPaidItems } from '#domain/payments.ts'
import type { PaymentTarget } from '#features/orders/payment/payment-api.ts'

type Items = NonNullable<PaymentTarget['items']>

const namePattern = /^(CONTRACT|PDBORDER|TRAFFIC)-([1-9]\d{0,8})$/

/** Ignores what is not the name of an item, because anybody can write an address. */
export const parseItems = (search: string): Items =>
  [...new Set((new URLSearchParams(search).get('pay') ?? '').split(','))].slice(0, maxPaidItems).flatMap((name) => {
    const [, contractType, id] = namePattern.exec(name) ?? []
    return contractType ? [{ id: Number(id), contractType: contractType as Items[number]['contractType'] }] : []
  })

/** Results in the address after which nothing was paid and nothing is being checked. */
const unpaidResults = new Set<string | null>(['cancelled', 'declined'])

/** Returns the names of the items, so that they are selected again if nothing was paid. */
export function useReturnedNames(): string[] {
  const { search } = useLocation()
  if (!unpaidResults.has(new URLSearchParams(search).get('payment'))) return []
  return parseItems(search).map(({ contractType, id }) => `${contractType}-${id}`)
}

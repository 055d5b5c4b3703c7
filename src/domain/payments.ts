/** Ways of paying, and who may use which (D66, Z-20, Z-21). */
import { type Caller, isProvider, isProviderAdmin } from '#domain/access.ts'
import type { Currency } from '#domain/money.ts'

export const paymentTypes = ['stripe', 'alipay', 'globalAlipay', 'simulate'] as const
export type PaymentType = (typeof paymentTypes)[number]

/** The mainland's gateway takes RMB, the one across borders the rest. */
const alipayFor = (currency: Currency): 'alipay' | 'globalAlipay' => (currency === 'RMB' ? 'alipay' : 'globalAlipay')

/** `currency`: it is never paid this way, whoever asks. */
export function whyNotPaidBy(type: PaymentType, currency: Currency, caller: Caller): 'currency' | 'staff' | null {
  if (type === 'stripe') return null
  if (type === 'simulate') return isProviderAdmin(caller) ? null : 'staff'
  if (type !== alipayFor(currency)) return 'currency'
  return type === 'alipay' || isProvider(caller) ? null : 'staff'
}

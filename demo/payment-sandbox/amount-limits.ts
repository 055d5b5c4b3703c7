/**
 * Smallest and largest amount in hundredths, from the gateways' documentation. Not shared with the portal, because the sandbox plays the
 * gateway.
 */
interface AmountLimits {
  min: number
  max: number
}

const cardLimits: Record<string, AmountLimits> = {
  hkd: { min: 400, max: 99_999_999 },
  usd: { min: 50, max: 99_999_999 },
  cny: { min: 400, max: 99_999_999 },
}

export function findCardAmountFault(amount: number, currency: string): 'amount_too_small' | 'amount_too_large' | null {
  const { min, max } = cardLimits[currency] ?? { min: 50, max: 99_999_999 }
  if (amount < min) return 'amount_too_small'
  return amount > max ? 'amount_too_large' : null
}

const alipayLimits: Record<'alipay' | 'globalAlipay', AmountLimits> = {
  alipay: { min: 1, max: 10_000_000_000 },
  globalAlipay: { min: 1, max: 100_000_000 },
}

export const isAlipayAmount = (gateway: 'alipay' | 'globalAlipay', amount: number): boolean =>
  amount >= alipayLimits[gateway].min && amount <= alipayLimits[gateway].max

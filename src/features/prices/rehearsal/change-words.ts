/** How a change is written: with its sign, so that a colour is not needed to see which way it goes. */
import { groupThousands } from '#domain/money.ts'
import { getPercentChange } from '#features/prices/rehearsal/annual-fee.ts'

/** "+1,200.00", "−30.00", "0.00" */
export const formatSigned = (amount: string): string => {
  if (amount.startsWith('-')) return `−${groupThousands(amount.slice(1))}`
  return Number(amount) === 0 ? amount : `+${groupThousands(amount)}`
}

/** "+3.2 %"; empty: it began at nothing. */
export function formatPercentChange(currentAmount: string, newAmount: string): string {
  const percent = getPercentChange(currentAmount, newAmount)
  if (percent === null) return ''
  const text = Math.abs(percent).toFixed(1)
  return `${text === '0.0' ? '' : percent > 0 ? '+' : '−'}${text} %`
}

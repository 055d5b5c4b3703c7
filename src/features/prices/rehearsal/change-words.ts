/** How a change is written: with its sign, so that a colour is not needed to see which way it goes. */
import { grouped } from '#domain/money.ts'
import { percentChange } from '#features/prices/rehearsal/fee-of.ts'

/** "+1,200.00", "−30.00", "0.00" */
export const signed = (amount: string): string => {
  if (amount.startsWith('-')) return `−${grouped(amount.slice(1))}`
  return Number(amount) === 0 ? amount : `+${grouped(amount)}`
}

/** "+3.2 %"; empty: it began at nothing. */
export function changeWords(now: string, then: string): string {
  const percent = percentChange(now, then)
  if (percent === null) return ''
  const text = Math.abs(percent).toFixed(1)
  return `${text === '0.0' ? '' : percent > 0 ? '+' : '−'}${text} %`
}

/** Sums of the money page. Amounts of different currencies are never added. */
import { groupThousands, type Hundredths, readAmount, writeAmount } from '#domain/money.ts'

export interface CurrencySum {
  currency: string
  amount: string
  count: number
}

/** Also for a currency that the portal does not support. */
export const formatSum = ({ currency, amount }: Pick<CurrencySum, 'currency' | 'amount'>): string =>
  `${currency} ${groupThousands(amount)}`

export interface CurrencyGroup<S extends CurrencySum> {
  currency: string
  total: string
  count: number
  rows: readonly S[]
}

const sumAmounts = (rows: readonly CurrencySum[]): Hundredths =>
  rows.reduce((sum, { amount }) => sum + readAmount(amount), 0n)

/** Returns one group for each currency, in the order of the first rows. */
export const groupByCurrency = <S extends CurrencySum>(rows: readonly S[]): CurrencyGroup<S>[] =>
  [...Map.groupBy(rows, ({ currency }) => currency)].map(([currency, ownRows]) => ({
    currency,
    total: writeAmount(sumAmounts(ownRows)),
    count: ownRows.reduce((count, row) => count + row.count, 0),
    rows: ownRows,
  }))

/** Returns the length of each bar in percent of the longest one. */
export function calculateBarLengths(amounts: readonly string[]): number[] {
  const values = amounts.map(readAmount)
  const max = values.reduce((largest, value) => (value > largest ? value : largest), 0n)
  return values.map((value) => (max <= 0n || value <= 0n ? 0 : Number((value * 1000n) / max) / 10))
}

/** Returns the twelve months up to this one, `yyyy-MM`, oldest first. */
export function listMonths(lastMonth: string): string[] {
  const [year = 0, month = 1] = lastMonth.split('-').map(Number)
  return Array.from({ length: 12 }, (_, index) => {
    const monthCount = year * 12 + month - 1 - (11 - index)
    return `${Math.floor(monthCount / 12)}-${String((monthCount % 12) + 1).padStart(2, '0')}`
  })
}

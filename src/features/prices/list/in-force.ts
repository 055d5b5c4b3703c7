/** Which price lists count (D16): among those of one client type, as this device knows them. */
import type { PriceRow } from '#contract/prices.ts'

export type Standing = 'inForce' | 'next' | 'later' | 'replaced' | 'draft'

/** By the list's own words: the confirmed one that began last, the one that takes its place, and what lies before and after. */
export function standings(rows: readonly PriceRow[], today: string): (row: PriceRow) => Standing {
  const days = rows.filter(({ confirmed }) => confirmed).map((row) => row.effective_date)
  days.sort()
  const now = days.findLast((day) => day <= today)
  const next = days.find((day) => day > today)
  return ({ confirmed, effective_date: day }) => {
    if (!confirmed) return 'draft'
    if (day === now) return 'inForce'
    if (day === next) return 'next'
    return day > today ? 'later' : 'replaced'
  }
}

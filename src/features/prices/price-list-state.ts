/** Determines the states of the price lists of one client type, as far as this device knows them (D16). */
import type { TFunction } from 'i18next'
import type { PriceRow } from '#contract/prices.ts'

export type PriceListState = 'inForce' | 'next' | 'later' | 'replaced' | 'draft' | 'withdrawn'

/** In force: the confirmed list with the latest date up to today. Next: the first one after today. */
export function createListStateLookup(rows: readonly PriceRow[], today: string): (row: PriceRow) => PriceListState {
  const days = rows.filter(({ confirmed, withdrawn }) => confirmed && !withdrawn).map((row) => row.effective_date)
  days.sort()
  const currentDay = days.findLast((day) => day <= today)
  const nextDay = days.find((day) => day > today)
  return ({ confirmed, withdrawn, effective_date: day }) => {
    if (withdrawn) return 'withdrawn'
    if (!confirmed) return 'draft'
    if (day === currentDay) return 'inForce'
    if (day === nextDay) return 'next'
    return day > today ? 'later' : 'replaced'
  }
}

/** Returns why a withdrawn list cannot be reinstated (D81), or null if this device knows no reason. */
export function getReinstateBlockReason(
  t: TFunction<'prices'>,
  { effective_date: day }: PriceRow,
  lists: readonly PriceRow[],
  today: string,
): string | null {
  const getListState = createListStateLookup(lists, today)
  const currentList = lists.find((row) => getListState(row) === 'inForce')
  if (currentList && currentList.effective_date > day)
    return t('reinstate.laterInForce', { day: currentList.effective_date, desc: currentList.desc })
  const isTaken = lists.some((row) => !row.withdrawn && row.effective_date === day)
  return isTaken ? t('reinstate.taken', { day }) : null
}

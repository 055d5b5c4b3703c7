import type { RowRef } from '#contract/endpoint.ts'
import type { PriceRow } from '#contract/prices.ts'
import type { Caller } from '#domain/access.ts'
import { buildHistoryPath } from '#ui/links/history-path.ts'

const basePath = '/app/m18/price'

export const getPriceListPath = (id?: RowRef): string => (id === undefined ? basePath : `${basePath}/${id}`)

/** Returns the path of the form for a new price list, which is empty or a copy of another list (M151). */
export const getNewPriceListPath = (from?: RowRef): string =>
  from === undefined ? `${basePath}/new` : `${basePath}/new?from=${from}`

/** Returns the path of a price list's audit trail, or null if the user may not see it. */
export const buildPriceListHistoryPath = ({ effective_date }: PriceRow, caller: Caller): string | null =>
  buildHistoryPath({ code: 'price', name: effective_date, access: 'deleteLevel' }, caller)

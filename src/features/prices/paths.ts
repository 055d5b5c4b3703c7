import type { RowRef } from '#contract/endpoint.ts'
import type { PriceRow } from '#contract/prices.ts'
import type { Caller } from '#domain/access.ts'
import { buildHistoryPath } from '#ui/links/history-path.ts'

const basePath = '/app/m18/price'

/** Of the list, or of one price list. */
export const getPriceListPath = (id?: RowRef): string => (id === undefined ? basePath : `${basePath}/${id}`)

/** Of the form for a new price list: empty, or a copy of another one (M151). */
export const getNewPriceListPath = (from?: RowRef): string =>
  from === undefined ? `${basePath}/new` : `${basePath}/new?from=${from}`

/** Of the audit trail of a price list; null: the user may not see it. */
export const buildPriceListHistoryPath = ({ effective_date }: PriceRow, caller: Caller): string | null =>
  buildHistoryPath({ code: 'price', name: effective_date, access: 'deleteLevel' }, caller)

import type { RowRef } from '#contract/endpoint.ts'

const basePath = '/app/m18/price'

/** Of the list, or of one price list. */
export const getPriceListPath = (id?: RowRef): string => (id === undefined ? basePath : `${basePath}/${id}`)

/** Of the form for a new one: empty, or with a copy of what another one says (M151). */
export const getNewPriceListPath = (from?: RowRef): string =>
  from === undefined ? `${basePath}/new` : `${basePath}/new?from=${from}`

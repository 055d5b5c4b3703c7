import type { Id } from '#contract/endpoint.ts'

const base = '/app/m18/price'

/** Of the list, or of one price list. */
export const pathOf = (id?: Id): string => (id === undefined ? base : `${base}/${id}`)

/** Of the form for a new one: empty, or with a copy of what another one says (M151). */
export const newPath = (from?: Id): string => (from === undefined ? `${base}/new` : `${base}/new?from=${from}`)

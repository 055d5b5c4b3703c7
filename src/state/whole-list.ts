/** A list read whole: what a form needs of a catalogue. Asking for any page of a list brings the rest of it to the device. */
import type { Endpoint, Row } from '#contract/endpoint.ts'
import type { ReadList } from '#local/lists/list-view.ts'
import { createListSlice, type PageQuery } from '#state/list-slice.ts'

/** More than a catalogue has: a page of all rows, as the device has them. */
const all = 20_000

export const createWholeList = <R extends Row>(name: string, endpoint: Endpoint, read: ReadList) =>
  createListSlice<R, PageQuery>({
    name,
    endpoint,
    read: (list, query) => read(list, { ...query, page: 1, results: all }),
    queryOf: (query) => query,
  })

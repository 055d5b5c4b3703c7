/** A list read whole: what a form needs of a catalogue. Asking for any page of a list brings the rest of it to the device. */
import type { Endpoint, VersionedRow } from '#contract/endpoint.ts'
import type { ReadList } from '#local/lists/list-view.ts'
import { readList } from '#local/lists/read-list.ts'
import { createListSlice, type PageQuery } from '#state/list-slice.ts'

/** More than a catalogue has: a page of all rows, as the device has them. */
const maxRows = 20_000

export const createCompleteListSlice = <R extends VersionedRow>(
  name: string,
  endpoint: Endpoint,
  read: ReadList = readList,
) =>
  createListSlice<R, PageQuery>({
    name,
    endpoint,
    read: (list, query) => read(list, { ...query, page: 1, results: maxRows }),
    toQuery: (query) => query,
  })

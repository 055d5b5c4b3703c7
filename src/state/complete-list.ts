/** Creates a slice that reads a complete list, such as a catalogue. A request for any page stores the complete list on the device. */
import type { Endpoint, VersionedRow } from '#contract/endpoint.ts'
import type { ReadList } from '#local/lists/list-view.ts'
import { readList } from '#local/lists/read-list.ts'
import { createListSlice, type PageQuery } from '#state/list-slice.ts'

/** Rows per page of the read from the device: more than a catalogue has, so that one page contains all rows. */
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

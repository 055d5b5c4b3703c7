/** Defines what features contribute to the search: the items that their rows stand for. `src/app/shell/search` collects the sources. */
import type { VersionedRow } from '#contract/endpoint.ts'
import type { PlainDate } from '#domain/time.ts'
import type { ListScope } from '#local/lists/row-pieces.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import type { IconName } from '#ui/icons/Icon.tsx'

/** Groups of the search, in their order if several have equally good matches. */
export const searchGroups = ['do', 'goTo', 'find'] as const
export type SearchGroup = (typeof searchGroups)[number]

export interface SearchItem {
  /** Unique over all items, and the same after a change of the row: `user 12`. */
  key: string
  group: SearchGroup
  icon: IconName
  label: string
  /** Displayed after the label, and searched too. */
  detail: string
  /** Codes and numbers that identify the item. An exact code is the best match. */
  codes: readonly string[]
  /** Other texts that are searched and not displayed. */
  otherTexts?: readonly string[]
  /** Offered before the user types. */
  isSuggested?: boolean
  /** Day by which the user must act. Suggested items with a day come first, soonest first, and only a few of them. */
  day?: PlainDate
  /** Last day on which the item is displayed, in the business time zone. Omitted if it does not end. */
  lastDay?: PlainDate
  /** Address that the item opens, relative to the base. */
  path?: string
  /** Action of an item without an address. */
  run?: () => void
}

export type SearchKind = 'users' | 'contracts' | 'invoices' | 'services' | 'customers'

export interface SearchSource extends ListScope {
  kind: SearchKind
  /** Returns the items of a row. Several rows may return an item with the same key; one of them is displayed. */
  toItems: (row: VersionedRow) => readonly SearchItem[]
  /** Returns the id of the row that this address displays, so that it appears among the recent items. Null for other addresses. */
  findOpenId: (pathname: string, query: URLSearchParams) => number | null
  /** Key of the item of a row. Recent items are stored by key. */
  toKey: (id: number) => string
  /** Address of the list with this search text, where the server searches the rows that the device does not have. */
  toListPath: (searchText: string) => string
  /** Requests the list. Its response is stored on the device, and the search follows the stored rows. */
  fetch: () => AppThunk<unknown>
}

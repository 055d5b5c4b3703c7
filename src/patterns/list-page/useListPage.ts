import type { VersionedRow } from '#contract/endpoint.ts'
import type { ListSlice } from '#state/list-slice.ts'
import type { ListUrlState, ListViewDefinition } from '#state/list-url.ts'
import { useList } from '#state/use-list.ts'
import { useListUrl } from '#state/use-list-url.ts'
import { useNewRows } from '#state/use-new-rows.ts'
import type { ListSource } from '#patterns/list-export/fetch-all-rows.ts'
import { useNarrow } from '#ui/list/useNarrow.ts'

interface ListPageOptions<V, Extra extends object> {
  /** Id of the company or service that owns the rows. Null for a list without a scope. */
  scope: number | null | ((view: V) => number | null)
  /** Parameters besides the view, such as the client type. Rows created for another value are not shown. */
  extra?: Extra | ((view: V) => Extra)
  /** True for a view whose rows another component lists, or whose parameters are not known yet. It is neither requested nor read. */
  skip?: (view: V) => boolean
  /** True for the list of one company, as a tab of its page (`CompanyFrame`). */
  isFramed?: boolean
}

/** Returns the view in the address, its rows on this device, and the result of the latest request. For `<ListPage>`. */
export function useListPage<R extends VersionedRow, V extends ListUrlState, Extra extends object = object>(
  slice: ListSlice<R, V & Extra>,
  definition: ListViewDefinition<V>,
  { scope, extra, skip, isFramed }: ListPageOptions<V, Extra>,
) {
  const { view, changeView, setQuery } = useListUrl(definition, slice, { isFramed })
  const extraFields = typeof extra === 'function' ? extra(view) : extra
  const { newRowRefs, clear } = useNewRows(slice, JSON.stringify(extraFields ?? {}))
  const isNarrow = useNarrow()
  const listScope = typeof scope === 'function' ? scope(view) : scope
  const listView = { ...view, ...extraFields } as V & Extra
  const list = useList(slice, {
    scope: listScope,
    view: listView,
    newRowRefs,
    isGrowing: isNarrow,
    skip: skip?.(view) ?? false,
  })
  return {
    definition,
    view,
    changeView,
    setQuery,
    isGrowing: isNarrow,
    /** Where an export reads all rows of the view. */
    source: { slice, scope: listScope, query: slice.toQuery(listView) } as unknown as ListSource<R>,
    ...list,
    /** Fetches again. Rows that were just created are then no longer shown first. */
    refresh() {
      clear()
      list.refetch()
    },
  }
}

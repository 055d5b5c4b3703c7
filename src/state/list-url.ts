/** Reads and writes the view of a list in the address (C-01), so that a reload, a shared link and the Back button restore it. */
import type { ListSpec } from '#contract/endpoint.ts'
import { parseWholeNumber, type ViewField } from '#state/view-fields.ts'

export interface ListUrlState {
  searchText: string
  sort: readonly [field: string, order: 'asc' | 'desc']
  page: number
  results: number
}

/** Numbers of rows per page that a user can choose. The first one is the default (portal 9, D83). */
export const pageSizes = [10, 20, 30, 40, 50] as const
const maxSearchLength = 100

export const plainListState = ({ sort }: ListSpec): ListUrlState => ({
  searchText: '',
  sort,
  page: 1,
  results: pageSizes[0],
})

const readListState = (query: URLSearchParams, list: ListSpec): ListUrlState => ({
  searchText: (query.get('searchText') ?? '').slice(0, maxSearchLength),
  sort: readSort(query.get('sortField'), query.get('sortOrder'), list),
  page: parseWholeNumber(query.get('page'), 1_000_000) ?? 1,
  results: pageSizes.find((size) => String(size) === query.get('results')) ?? pageSizes[0],
})

function writeListState(query: URLSearchParams, view: ListUrlState, { sort }: ListSpec): void {
  if (view.searchText.trim() !== '') query.set('searchText', view.searchText)
  if (view.sort.join() !== sort.join()) {
    query.set('sortField', view.sort[0])
    query.set('sortOrder', view.sort[1])
  }
  if (view.page !== 1) query.set('page', String(view.page))
  if (view.results !== pageSizes[0]) query.set('results', String(view.results))
}

export const toSearchQuery = ({ searchText }: ListUrlState) =>
  searchText.trim() === '' ? {} : { searchText: searchText.trim() }

export const toPageQuery = ({ results, page, sort }: ListUrlState) => ({
  results,
  page,
  sortField: sort[0],
  sortOrder: sort[1],
})

function readSort(field: string | null, order: string | null, list: ListSpec): ListUrlState['sort'] {
  if (field === null || !Object.hasOwn(list.sorts, field)) return list.sort
  return [field, order === 'desc' ? 'desc' : 'asc']
}

type ViewFields = Record<string, ViewField<unknown>>
type FieldValues<F extends ViewFields> = { [Name in keyof F]: F[Name]['defaultValue'] }

export type ListPageView<F extends ViewFields> = ListUrlState & FieldValues<F>

export interface ListViewDefinition<V extends ListUrlState> {
  defaultView: V
  read: (query: URLSearchParams) => V
  /** Defaults are left out, so that the default view has an address without a query. */
  write: (view: V) => URLSearchParams
  /** Returns the changed view. Goes to the first page, unless only the page or a field outside the list changes. */
  change: (view: V, change: Partial<V>) => V
  /** Returns the query that is stored while the user is on another page (C-02). */
  toSavedQuery: (view: V) => string
  print: (view: V, name: keyof V & string) => string
  parse: (name: keyof V & string, text: string) => Partial<V>
  clearedFilters: Partial<V>
  /** Like `clearedFilters`, but without the fields that select the list (`isScope`), which keep their values. */
  unfiltered: Partial<V>
  /** Returns true if a filter or the search may be the reason for an empty list. */
  isFiltered: (view: V) => boolean
  countFilters: (view: V) => number
  /** Returns filters and search in the form that both the call and the device use. */
  toFilterQuery: (view: V) => Record<string, string | number | boolean | undefined>
  toListQuery: (view: V) => ReturnType<typeof toPageQuery> & Record<string, string | number | boolean | undefined>
}

/** Defines the view of a list by its fields. Reading, writing, defaults and the query follow from them. */
export function defineListView<F extends ViewFields>(list: ListSpec, fields: F): ListViewDefinition<ListPageView<F>> {
  type View = ListPageView<F>
  const names = Object.keys(fields)
  const getField = (name: string): ViewField<unknown> => fields[name] as ViewField<unknown>
  const getParam = (name: string) => getField(name).param ?? name
  const isDefault = (view: FieldValues<F>, name: string) => view[name] === getField(name).defaultValue
  const listed = names.filter((name) => !getField(name).isOutsideList)
  const getDefaults = (fieldNames: readonly string[]) =>
    Object.fromEntries(fieldNames.map((name) => [name, getField(name).defaultValue])) as FieldValues<F>
  const parseField = (name: string, text: string | null): unknown =>
    (text === null ? undefined : getField(name).parse(text)) ?? getField(name).defaultValue
  const toFieldQuery = (view: View, name: string) => {
    const { toQuery } = getField(name)
    if (toQuery) return toQuery(view[name])
    return isDefault(view, name) ? {} : { [name]: view[name] as string | number | boolean }
  }
  const write = (view: View): URLSearchParams => {
    const query = new URLSearchParams()
    const writeFields = (fieldNames: readonly string[]) => {
      for (const name of fieldNames)
        if (!isDefault(view, name)) query.set(getParam(name), getField(name).print(view[name]))
    }
    writeFields(listed)
    writeListState(query, view, list)
    writeFields(names.filter((name) => getField(name).isOutsideList))
    return query
  }
  const toFilterQuery = (view: View) => ({
    ...Object.assign({}, ...listed.map((name) => toFieldQuery(view, name))),
    ...toSearchQuery(view),
  })
  return {
    defaultView: { ...getDefaults(names), ...plainListState(list) },
    read: (query) =>
      ({
        ...readListState(query, list),
        ...Object.fromEntries(names.map((name) => [name, parseField(name, query.get(getParam(name)))])),
      }) as View,
    write,
    change(view, change) {
      const isOtherList = Object.entries(change).some(
        ([name, value]) =>
          name !== 'page' && !fields[name]?.isOutsideList && String(value) !== String(view[name as keyof View]),
      )
      return { ...view, ...(isOtherList ? { page: 1 } : {}), ...change }
    },
    toSavedQuery: (view) =>
      write({ ...view, ...getDefaults(names.filter((name) => getField(name).isOutsideList)) }).toString(),
    print: (view, name) => (view[name] === null ? '' : getField(name).print(view[name])),
    parse: (name, text) => ({ [name]: parseField(name, text) }) as Partial<View>,
    clearedFilters: { ...getDefaults(listed), searchText: '' } as Partial<View>,
    unfiltered: { ...getDefaults(listed.filter((name) => !getField(name).isScope)), searchText: '' } as Partial<View>,
    isFiltered: (view) =>
      view.searchText.trim() !== '' || listed.some((name) => !getField(name).isScope && !isDefault(view, name)),
    countFilters: (view) => listed.filter((name) => !isDefault(view, name)).length,
    toFilterQuery,
    toListQuery: (view) => ({ ...toPageQuery(view), ...toFilterQuery(view) }),
  }
}

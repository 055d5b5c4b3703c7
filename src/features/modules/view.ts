/** What the address of the two module lists says (C-01). The client type is the staff's choice for all of their pages. */
import type { ClientType } from '#domain/access.ts'
import { moduleListSpec } from '#contract/modules.ts'
import {
  changeListState,
  type ListUrlState,
  toPageQuery,
  readListState,
  toSearchQuery,
  writeListState,
} from '#state/list-url.ts'

/** Which of them: those that customers choose, those that join by themselves, or both (M136). */
export const kindFilters = ['visible', 'hidden', 'all'] as const
export type ModuleKindFilter = (typeof kindFilters)[number]

export interface ModulesView extends ListUrlState {
  kindFilter: ModuleKindFilter
}

/** Of a page that begins with `defaultKind`. */
export const createViewFunctions = (defaultKind: ModuleKindFilter) => ({
  read: (query: URLSearchParams): ModulesView => ({
    kindFilter: kindFilters.find((kind) => kind === query.get('shown')) ?? defaultKind,
    ...readListState(query, moduleListSpec),
  }),
  write(view: ModulesView): URLSearchParams {
    const query = new URLSearchParams()
    if (view.kindFilter !== defaultKind) query.set('shown', view.kindFilter)
    writeListState(query, view, moduleListSpec)
    return query
  },
  change: (view: ModulesView, change: Partial<ModulesView>): ModulesView => changeListState(view, change),
  toSavedQuery(view: ModulesView): string {
    return this.write(view).toString()
  },
})

export const isFiltered = (view: ModulesView): boolean => view.searchText.trim() !== ''

/** As both the call and the device's rows understand it. */
export const toListQuery = ({ type, ...view }: ModulesView & { type: ClientType }) => ({
  ...toPageQuery(view),
  type,
  ...(view.kindFilter === 'all' ? {} : { hidden: view.kindFilter === 'hidden' }),
  ...toSearchQuery(view),
})

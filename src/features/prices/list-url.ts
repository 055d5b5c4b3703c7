/** What the address of the price lists says (C-01). The client type is the staff's choice for all of their pages. */
import { priceListSpec } from '#contract/prices.ts'
import type { ClientType } from '#domain/access.ts'
import { changeListState, type ListUrlState, toPageQuery, readListState, writeListState } from '#state/list-url.ts'

export const listTabs = ['current', 'withdrawn'] as const
export type PriceListTab = (typeof listTabs)[number]

export interface PriceListsView extends ListUrlState {
  /** As the address says it (`?tab=withdrawn`). */
  tab: PriceListTab
}

export const viewFunctions = {
  read: (query: URLSearchParams): PriceListsView => ({
    ...readListState(query, priceListSpec),
    tab: query.get('tab') === 'withdrawn' ? 'withdrawn' : 'current',
  }),
  write(view: PriceListsView): URLSearchParams {
    const query = new URLSearchParams()
    if (view.tab !== 'current') query.set('tab', view.tab)
    writeListState(query, view, priceListSpec)
    return query
  },
  change: (view: PriceListsView, change: Partial<PriceListsView>): PriceListsView => changeListState(view, change),
  toSavedQuery(view: PriceListsView): string {
    return this.write(view).toString()
  },
}

/** As both the call and the device's rows understand it. */
export const toListQuery = ({ type, tab, ...view }: PriceListsView & { type: ClientType }) => ({
  ...toPageQuery(view),
  type,
  ...(tab === 'withdrawn' ? { withdrawn: true } : {}),
})

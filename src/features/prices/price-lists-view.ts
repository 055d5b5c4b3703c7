/** The view of the price lists in the address (C-01). The client type is not part of it: staff select it for all their pages. */
import { priceListSpec } from '#contract/prices.ts'
import { defineListView } from '#state/list-url.ts'
import { choice } from '#state/view-fields.ts'

export const listTabs = ['current', 'withdrawn'] as const
export type PriceListTab = (typeof listTabs)[number]

export const priceListsView = defineListView(priceListSpec, {
  tab: choice<PriceListTab>(listTabs, {
    isScope: true,
    toQuery: (tab) => (tab === 'withdrawn' ? { withdrawn: true } : {}),
  }),
})
export type PriceListsView = (typeof priceListsView)['defaultView']

/** What the address of the price lists says (C-01). The client type is the staff's choice for all of their pages. */
import { priceListsFills } from '#contract/prices.ts'
import type { ClientType } from '#domain/access.ts'
import { changeListing, type Listing, pageOf, readListing, writeListing } from '#state/list-url.ts'

export const tabs = ['current', 'withdrawn'] as const
export type Tab = (typeof tabs)[number]

export interface View extends Listing {
  /** As the address says it (`?tab=withdrawn`). */
  tab: Tab
}

export const ways = {
  read: (query: URLSearchParams): View => ({
    ...readListing(query, priceListsFills),
    tab: query.get('tab') === 'withdrawn' ? 'withdrawn' : 'current',
  }),
  write(view: View): URLSearchParams {
    const query = new URLSearchParams()
    if (view.tab !== 'current') query.set('tab', view.tab)
    writeListing(query, view, priceListsFills)
    return query
  },
  change: (view: View, change: Partial<View>): View => changeListing(view, change),
  remembered(view: View): string {
    return this.write(view).toString()
  },
}

/** As both the call and the device's rows understand it. */
export const queryOf = ({ type, tab, ...view }: View & { type: ClientType }) => ({
  ...pageOf(view),
  type,
  ...(tab === 'withdrawn' ? { withdrawn: true } : {}),
})

/** What the address of the two module lists says (C-01). The client type is the staff's choice for all of their pages. */
import type { ClientType } from '#domain/access.ts'
import { modulesFills } from '#contract/modules.ts'
import { changeListing, type Listing, pageOf, readListing, searchOf, writeListing } from '#state/list-url.ts'

/** Which of them: those that customers choose, those that join by themselves, or both (M136). */
export const shownKinds = ['visible', 'hidden', 'all'] as const
export type Shown = (typeof shownKinds)[number]

export interface View extends Listing {
  shown: Shown
}

/** Of a page that begins with `plain`. */
export const waysOf = (plain: Shown) => ({
  read: (query: URLSearchParams): View => ({
    shown: shownKinds.find((one) => one === query.get('shown')) ?? plain,
    ...readListing(query, modulesFills),
  }),
  write(view: View): URLSearchParams {
    const query = new URLSearchParams()
    if (view.shown !== plain) query.set('shown', view.shown)
    writeListing(query, view, modulesFills)
    return query
  },
  change: (view: View, change: Partial<View>): View => changeListing(view, change),
  remembered(view: View): string {
    return this.write(view).toString()
  },
})

export const isFiltered = (view: View): boolean => view.searchText.trim() !== ''

/** As both the call and the device's rows understand it. */
export const queryOf = ({ type, ...view }: View & { type: ClientType }) => ({
  ...pageOf(view),
  type,
  ...(view.shown === 'all' ? {} : { hidden: view.shown === 'hidden' }),
  ...searchOf(view),
})

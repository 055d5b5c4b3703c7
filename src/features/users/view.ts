/** The view of the users page in the address: page, filters and the open drawer (C-01). */
import { userListSpec } from '#contract/users.ts'
import { userStatuses } from '#domain/accounts/users.ts'
import { defineListView } from '#state/list-url.ts'
import { flag, oneOf, openRow } from '#state/view-fields.ts'

const view = defineListView(userListSpec, {
  statusType: oneOf(userStatuses),
  includedDel: flag(),
  open: openRow({ param: 'user' }),
})
export type UsersView = (typeof view)['defaultView']

export const usersView = {
  ...view,
  /** Number of active filters: at most one, because both filters are choices of one select box. */
  countFilters: (usersView: UsersView) => Math.min(1, view.countFilters(usersView)),
}

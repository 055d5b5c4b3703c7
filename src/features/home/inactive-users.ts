/** Users that are not activated yet: how many there are. */
import { listUsers, type UserRow, usersFills } from '#contract/users.ts'
import { userStatus } from '#domain/users.ts'
import { readList } from '#local/lists/read-list.ts'
import { createListSlice } from '#state/list-slice.ts'
import { pageOf, plainListing } from '#state/list-url.ts'

/** Any page would do: what is wanted is the count. */
export const view = plainListing(usersFills)

export const inactiveUsersList = createListSlice<UserRow, typeof view>({
  name: 'inactiveUsers',
  endpoint: listUsers,
  read: readList,
  queryOf: (shown) => ({ ...pageOf(shown), statusType: userStatus.deactivated }),
})

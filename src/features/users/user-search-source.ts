import { listUsers, type UserRow, userListSpec } from '#contract/users.ts'
import { userStatus } from '#domain/accounts/users.ts'
import type { SearchSource } from '#patterns/search-source.ts'
import { createListSlice, type PageQuery } from '#state/list-slice.ts'
import { plainListState, toPageQuery } from '#state/list-url.ts'
import { usersView } from '#features/users/view.ts'

const searchUsersList = createListSlice<UserRow, PageQuery>({
  name: 'searchUsers',
  endpoint: listUsers,
  toQuery: (query) => query,
})

const toKey = (id: UserRow['id']) => `user ${id}`

/** Users of the caller's company. A user opens in the drawer of the users page. */
export const createUserSearchSource = (companyId: number): SearchSource => ({
  kind: 'users',
  list: userListSpec,
  scope: companyId,
  toItems(versionedRow) {
    const row = versionedRow as UserRow
    if (row.status === userStatus.deleted) return []
    const path = `/app/user?${usersView.write({ ...usersView.defaultView, open: row.id })}`
    return [
      {
        key: toKey(row.id),
        group: 'find',
        icon: 'person',
        label: row.name,
        detail: row.email,
        codes: [row.email],
        path,
      },
    ]
  },
  findOpenId: (pathname, query) => (pathname === '/app/user' ? parseId(query.get('user')) : null),
  toKey,
  toListPath: (searchText) => `/app/user?${usersView.write({ ...usersView.defaultView, searchText })}`,
  fetch: () => searchUsersList.fetchList({ scope: companyId, query: toPageQuery(plainListState(userListSpec)) }),
})

const parseId = (text: string | null) => (text !== null && /^\d+$/.test(text) ? Number(text) : null)

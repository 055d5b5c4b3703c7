import type { ThunkAction, UnknownAction } from '@reduxjs/toolkit'
import { listUsers, usersFills } from '#contract/users.ts'
import { userStatus } from '#domain/users.ts'
import type { ListQuery } from '#local/view.ts'
import type { Extra, RootState } from '#state/store.ts'

/** One row would do: what is wanted is the count, and the server tells it with any page. */
export const inactiveQuery = (companyId: number): ListQuery => ({
  scope: companyId,
  filters: { statusType: userStatus.deactivated },
  sort: usersFills.sort,
  page: 1,
  results: 10,
})

/** The answer is stored in the device's rows, which the page watches; how it went is no news on this page. */
export const askInactive =
  (companyId: number): ThunkAction<Promise<void>, RootState, Extra, UnknownAction> =>
  async (_dispatch, _getState, { api }) => {
    const [sortField, sortOrder] = usersFills.sort
    const query = { results: 10, page: 1, sortField, sortOrder, statusType: userStatus.deactivated }
    await api.ask(listUsers, { params: { companyId }, query })
  }

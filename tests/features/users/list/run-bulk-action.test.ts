import { describe, expect, it } from 'vitest'
import type { UserStatus } from '#domain/accounts/users.ts'
import { type SelectedUser, planBulkAction } from '#features/users/list/run-bulk-action.ts'
import { rowsSelected, selectionEnded, rowSelectionSlice } from '#features/users/list/row-selection.ts'
import { selectRange } from '#ui/list/SelectionBox.tsx'

const createUser = (id: number, status: UserStatus): SelectedUser => ({
  id,
  status,
  name: `N${id}`,
  email: `n${id}@acme.example`,
})
const users = [createUser(1, 1), createUser(2, 0), createUser(3, -1), createUser(4, -2), createUser(5, 1)]
const summarisePlan = (plan: ReturnType<typeof planBulkAction>) => [
  plan.includedUsers.map(({ id }) => id),
  plan.excludedUsers.map(({ user: { id }, reason }) => `${id} ${reason}`),
]

describe('planBulkAction', () => {
  it('includes users whose status allows the action, and gives a reason for the others (M39, M41)', () => {
    const context = { selfId: 5, lastAdminId: null }
    expect(summarisePlan(planBulkAction('disable', users, context))).toEqual([
      [1],
      ['2 USER_STATUS_INVALID', '3 USER_STATUS_INVALID', '4 USER_STATUS_INVALID', '5 SELF_FORBIDDEN'],
    ])
    expect(summarisePlan(planBulkAction('enable', users, context))[0]).toEqual([3])
    expect(summarisePlan(planBulkAction('activatemail', users, context))[0]).toEqual([2])
    expect(summarisePlan(planBulkAction('remove', users, context))).toEqual([
      [1, 2, 3],
      ['4 USER_STATUS_INVALID', '5 SELF_FORBIDDEN'],
    ])
  })

  it('omits the last active admin (D54)', () => {
    expect(
      summarisePlan(planBulkAction('remove', [createUser(1, 1), createUser(2, 1)], { selfId: 9, lastAdminId: 1 })),
    ).toEqual([[2], ['1 LAST_ADMIN']])
  })
})

describe('the selection', () => {
  const { reducer } = rowSelectionSlice

  it('adds and removes ids, each once, and can be cleared', () => {
    let state = reducer(undefined, rowsSelected({ ids: [1, 2], isSelected: true }))
    state = reducer(state, rowsSelected({ ids: [2, 3], isSelected: true }))
    expect(state.ids).toEqual([1, 2, 3])
    state = reducer(state, rowsSelected({ ids: [1], isSelected: false }))
    expect(state).toEqual({ ids: [2, 3], rangeStart: 1 })
    expect(reducer(state, selectionEnded())).toEqual({ ids: [], rangeStart: null })
  })

  it('selects a range within the page in both directions, else only the row', () => {
    const page = [10, 20, 30, 40]
    expect(selectRange(page, 20, 40)).toEqual([20, 30, 40])
    expect(selectRange(page, 40, 20)).toEqual([30, 40, 20])
    expect(selectRange(page, 99, 30)).toEqual([30])
    expect(selectRange(page, null, 30)).toEqual([30])
  })
})

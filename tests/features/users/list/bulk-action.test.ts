import { describe, expect, it } from 'vitest'
import type { UserStatus } from '#domain/accounts/users.ts'
import { type Chosen, planOf } from '#features/users/list/bulk-action.ts'
import { chosen, ended, picked, stretch } from '#features/users/list/row-selection.ts'

const user = (id: number, status: UserStatus): Chosen => ({ id, status, name: `N${id}`, email: `n${id}@acme.example` })
const all = [user(1, 1), user(2, 0), user(3, -1), user(4, -2), user(5, 1)]
const names = (plan: ReturnType<typeof planOf>) => [
  plan.go.map(({ id }) => id),
  plan.out.map(({ user: { id }, why }) => `${id} ${why}`),
]

describe('a move on many users', () => {
  it('is for those whose status allows it; of the others it says why not (M39, M41)', () => {
    const by = { self: 5, last: null }
    expect(names(planOf('disable', all, by))).toEqual([
      [1],
      ['2 USER_STATUS_INVALID', '3 USER_STATUS_INVALID', '4 USER_STATUS_INVALID', '5 SELF_FORBIDDEN'],
    ])
    expect(names(planOf('enable', all, by))[0]).toEqual([3])
    expect(names(planOf('activatemail', all, by))[0]).toEqual([2])
    expect(names(planOf('remove', all, by))).toEqual([
      [1, 2, 3],
      ['4 USER_STATUS_INVALID', '5 SELF_FORBIDDEN'],
    ])
  })

  it('leaves the last active admin alone (D54)', () => {
    expect(names(planOf('remove', [user(1, 1), user(2, 1)], { self: 9, last: 1 }))).toEqual([[2], ['1 LAST_ADMIN']])
  })
})

describe('what is chosen', () => {
  const { reducer } = picked

  it('grows and shrinks, each once, and ends', () => {
    let state = reducer(undefined, chosen({ ids: [1, 2], on: true }))
    state = reducer(state, chosen({ ids: [2, 3], on: true }))
    expect(state.ids).toEqual([1, 2, 3])
    state = reducer(state, chosen({ ids: [1], on: false }))
    expect(state).toEqual({ ids: [2, 3], from: 1 })
    expect(reducer(state, ended())).toEqual({ ids: [], from: null })
  })

  it('is a stretch between two rows of the page, either way; alone where the first is elsewhere', () => {
    const page = [10, 20, 30, 40]
    expect(stretch(page, 20, 40)).toEqual([20, 30, 40])
    expect(stretch(page, 40, 20)).toEqual([30, 40, 20])
    expect(stretch(page, 99, 30)).toEqual([30])
    expect(stretch(page, null, 30)).toEqual([30])
  })
})

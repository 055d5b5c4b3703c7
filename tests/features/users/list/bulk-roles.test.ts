import { describe, expect, it } from 'vitest'
import type { UserRow } from '#contract/users.ts'
import { newFields } from '#features/users/form/user-form.ts'
import { planOfRoles, type Roles } from '#features/users/list/bulk-roles.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'

const user = (id: number, some: Partial<UserRow>) =>
  ({ row: { ...newFields, id, name: `N${id}`, email: '', status: 1, ...some }, waiting: null }) as OverlaidRow<UserRow>
const all = [
  user(1, { admin: true }),
  user(2, { admin: true, order: true }),
  user(3, { order: true, status: 0 }),
  user(4, { status: -2 }),
  user(5, {}),
]
const plan = (roles: Roles, by: Parameters<typeof planOfRoles>[2]) => {
  const { go, out } = planOfRoles(all, roles, by)
  return [go.map(({ shown, changes }) => [shown.row.id, changes]), out.map(({ user: { id }, why }) => `${id} ${why}`)]
}

describe('roles of many users', () => {
  it('are sent for each as far as they change; who has them already, or is deleted, is left out (M39)', () => {
    expect(plan({ order: true, alert: true }, { self: 9, last: null })).toEqual([
      [
        [1, { order: true, alert: true }],
        [2, { alert: true }],
        [3, { alert: true }],
        [5, { order: true, alert: true }],
      ],
      ['4 deleted'],
    ])
    expect(plan({ order: true }, { self: 9, last: null })[1]).toEqual(['2 same', '3 same', '4 deleted'])
  })

  it('leave alone whether one is an admin oneself, and the last active admin (M38, D54)', () => {
    expect(plan({ admin: false }, { self: 1, last: 2 })).toEqual([
      [],
      ['1 SELF_FORBIDDEN', '2 LAST_ADMIN', '3 same', '4 deleted', '5 same'],
    ])
    // What else one has may be changed with the others'.
    expect(plan({ alert: true }, { self: 1, last: null })[0]).toContainEqual([1, { alert: true }])
    expect(plan({ admin: true }, { self: 5, last: null })[1]).toContain('5 SELF_FORBIDDEN')
  })

  it('that are not named stay as they are', () => {
    expect(plan({}, { self: 9, last: null })[0]).toEqual([])
  })
})

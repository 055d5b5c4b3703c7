import { describe, expect, it } from 'vitest'
import type { UserRow } from '#contract/users.ts'
import { emptyUserFields } from '#features/users/form/user-form.ts'
import { planRoleChanges, planRolesUndo, type RoleChanges } from '#features/users/list/bulk-roles.ts'
import { toSelectedUser } from '#features/users/list/run-bulk-action.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'

const createUser = (id: number, overrides: Partial<UserRow>) =>
  ({
    row: { ...emptyUserFields, id, name: `N${id}`, email: '', status: 1, ...overrides },
    waiting: null,
  }) as OverlaidRow<UserRow>
const users = [
  createUser(1, { admin: true }),
  createUser(2, { admin: true, order: true }),
  createUser(3, { order: true, status: 0 }),
  createUser(4, { status: -2 }),
  createUser(5, {}),
]
const planTestRoles = (roles: RoleChanges, context: Parameters<typeof planRoleChanges>[2]) => {
  const { plannedChanges: included, excludedUsers: excluded } = planRoleChanges(users, roles, context)
  return [
    included.map(({ overlaidRow, changes }) => [overlaidRow.row.id, changes]),
    excluded.map(({ user: { id }, reason }) => `${id} ${reason}`),
  ]
}

describe('planning a change of roles', () => {
  it('sends each user only changed roles, and omits deleted and unchanged users (M39)', () => {
    expect(planTestRoles({ order: true, alert: true }, { selfId: 9, lastAdminId: null })).toEqual([
      [
        [1, { order: true, alert: true }],
        [2, { alert: true }],
        [3, { alert: true }],
        [5, { order: true, alert: true }],
      ],
      ['4 deleted'],
    ])
    expect(planTestRoles({ order: true }, { selfId: 9, lastAdminId: null })[1]).toEqual([
      '2 same',
      '3 same',
      '4 deleted',
    ])
  })

  it("never changes the user's own admin role or the last active admin (M38, D54)", () => {
    expect(planTestRoles({ admin: false }, { selfId: 1, lastAdminId: 2 })).toEqual([
      [],
      ['1 SELF_FORBIDDEN', '2 LAST_ADMIN', '3 same', '4 deleted', '5 same'],
    ])
    // The user's own other roles can be changed together with those of others.
    expect(planTestRoles({ alert: true }, { selfId: 1, lastAdminId: null })[0]).toContainEqual([1, { alert: true }])
    expect(planTestRoles({ admin: true }, { selfId: 5, lastAdminId: null })[1]).toContain('5 SELF_FORBIDDEN')
  })

  it('leaves roles that are not named unchanged', () => {
    expect(planTestRoles({}, { selfId: 9, lastAdminId: null })[0]).toEqual([])
  })
})

it('undoes only what was changed, based on the versions that the server returned', () => {
  const plan = planRoleChanges(users, { order: true, alert: true }, { selfId: 9, lastAdminId: null })
  const changedRow = { ...createUser(2, { admin: true, order: true, alert: true }).row, row_version: 7 }
  const results = [
    { user: toSelectedUser(changedRow), result: { kind: 'fresh' as const, output: changedRow } },
    // Another action on this user was running, so nothing was changed.
    { user: toSelectedUser(createUser(3, {}).row), result: null },
  ] as Parameters<typeof planRolesUndo>[1]
  expect(planRolesUndo(plan, results).plannedChanges).toEqual([
    { overlaidRow: { row: changedRow, waiting: null }, changes: { alert: false } },
  ])
})

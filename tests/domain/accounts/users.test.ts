import { describe, expect, it } from 'vitest'
import {
  type UserAction,
  statusAfterUserAction,
  userActions,
  type UserStatus,
  userStatuses,
  getUserActionRefusal,
} from '#domain/accounts/users.ts'

const actions = Object.keys(userActions) as UserAction[]
const otherUser = { isSelf: false }

/** The table of portal 4: the actions that each status allows, and the status after each action. */
const specifiedStatuses: Record<UserStatus, Partial<Record<UserAction, UserStatus>>> = {
  [-2]: {},
  [-1]: { enable: 1, remove: -2 },
  0: { activatemail: 0, remove: -2 },
  1: { disable: -1, remove: -2 },
}

describe('getUserActionRefusal (M39, M40)', () => {
  it.each(userStatuses)('allows exactly the specified actions on a user of status %i', (status) => {
    const allowedActions = actions.filter((move) => getUserActionRefusal(move, { status }, otherUser) === null)
    expect(Object.fromEntries(allowedActions.map((move) => [move, statusAfterUserAction[move]]))).toEqual(
      specifiedStatuses[status],
    )
  })

  it('allows no action on a deleted user', () => {
    expect(Object.values(specifiedStatuses[-2])).toEqual([])
    expect(actions.map((move) => getUserActionRefusal(move, { status: -2 }, otherUser))).toEqual(
      actions.map(() => 'USER_STATUS_INVALID'),
    )
  })

  it.each(userStatuses)('refuses to let users disable or delete themselves, with status %i (M41)', (status) => {
    for (const move of ['disable', 'remove'] as const)
      expect(getUserActionRefusal(move, { status }, { isSelf: true })).toBe('SELF_FORBIDDEN')
  })

  it('protects the last active admin (D54), but reports a wrong status first', () => {
    const lastAdmin = { isSelf: false, isLastAdmin: true }
    expect(actions.map((move) => getUserActionRefusal(move, { status: 1 }, lastAdmin))).toEqual([
      'USER_STATUS_INVALID',
      'LAST_ADMIN',
      'USER_STATUS_INVALID',
      'LAST_ADMIN',
    ])
    expect(getUserActionRefusal('disable', { status: -1 }, lastAdmin)).toBe('USER_STATUS_INVALID')
  })
})

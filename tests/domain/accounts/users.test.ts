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

/** portal 4, as it stands there: which moves each status has, and where they lead. */
const specifiedStatuses: Record<UserStatus, Partial<Record<UserAction, UserStatus>>> = {
  [-2]: {},
  [-1]: { enable: 1, remove: -2 },
  0: { activatemail: 0, remove: -2 },
  1: { disable: -1, remove: -2 },
}

describe('the moves of a user (M39, M40)', () => {
  it.each(userStatuses)('of status %i are those listed, and no others', (status) => {
    const allowedActions = actions.filter((move) => getUserActionRefusal(move, { status }, otherUser) === null)
    expect(Object.fromEntries(allowedActions.map((move) => [move, statusAfterUserAction[move]]))).toEqual(
      specifiedStatuses[status],
    )
  })

  it('bring nobody back who was deleted', () => {
    expect(Object.values(specifiedStatuses[-2])).toEqual([])
    expect(actions.map((move) => getUserActionRefusal(move, { status: -2 }, otherUser))).toEqual(
      actions.map(() => 'USER_STATUS_INVALID'),
    )
  })

  it.each(userStatuses)('never disable or delete oneself, whatever the status, here %i (M41)', (status) => {
    for (const move of ['disable', 'remove'] as const)
      expect(getUserActionRefusal(move, { status }, { isSelf: true })).toBe('SELF_FORBIDDEN')
  })

  it('leave the last active admin (D54), of whom one is told the status first', () => {
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

import { describe, expect, it } from 'vitest'
import {
  type UserMove,
  userMoveLeadsTo,
  userMoves,
  type UserStatus,
  userStatuses,
  whyNotMove,
} from '#domain/accounts/users.ts'

const moves = Object.keys(userMoves) as UserMove[]
const other = { self: false }

/** portal 4, as it stands there: which moves each status has, and where they lead. */
const specified: Record<UserStatus, Partial<Record<UserMove, UserStatus>>> = {
  [-2]: {},
  [-1]: { enable: 1, remove: -2 },
  0: { activatemail: 0, remove: -2 },
  1: { disable: -1, remove: -2 },
}

describe('the moves of a user (M39, M40)', () => {
  it.each(userStatuses)('of status %i are those listed, and no others', (status) => {
    const allowed = moves.filter((move) => whyNotMove(move, { status }, other) === null)
    expect(Object.fromEntries(allowed.map((move) => [move, userMoveLeadsTo[move]]))).toEqual(specified[status])
  })

  it('bring nobody back who was deleted', () => {
    expect(Object.values(specified[-2])).toEqual([])
    expect(moves.map((move) => whyNotMove(move, { status: -2 }, other))).toEqual(moves.map(() => 'USER_STATUS_INVALID'))
  })

  it.each(userStatuses)('never disable or delete oneself, whatever the status, here %i (M41)', (status) => {
    for (const move of ['disable', 'remove'] as const)
      expect(whyNotMove(move, { status }, { self: true })).toBe('SELF_FORBIDDEN')
  })

  it('leave the last active admin (D54), of whom one is told the status first', () => {
    const last = { self: false, last: true }
    expect(moves.map((move) => whyNotMove(move, { status: 1 }, last))).toEqual([
      'USER_STATUS_INVALID',
      'LAST_ADMIN',
      'USER_STATUS_INVALID',
      'LAST_ADMIN',
    ])
    expect(whyNotMove('disable', { status: -1 }, last)).toBe('USER_STATUS_INVALID')
  })
})

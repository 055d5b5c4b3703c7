/** Tests the states of a contract with tables of cases (contracts 4, D27 to D35). */
import { describe, expect, it, test } from 'vitest'
import {
  contractRefusals,
  contractStates,
  getDueTime,
  getDueTimeWithin,
  findDueReminders,
  getSetUpNotice,
  getContractState,
  findContractState,
  toStatusNumber,
  getContractRefusal,
} from '#domain/contracts.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import { toTimestamp } from '#domain/time.ts'

const zone = 'Asia/Hong_Kong'
const createdAt = '2026-09-14 23:30:00'
const order = { stored: 'unpaid' as const, due: getDueTime(createdAt), period_end: '2027-10-01' }

describe('Status numbers of orders and contracts (D27, D28)', () => {
  it('Both use the same -1, 0 and 1, and swap 2 and 3', () => {
    const statusNumbers = contractStates.map((state) => [
      state,
      toStatusNumber(state, 'order'),
      toStatusNumber(state, 'contract'),
    ])
    expect(statusNumbers).toEqual([
      ['invalid', -1, -1],
      ['unpaid', 0, 0],
      ['effective', 1, 1],
      ['overwritten', 3, 2],
      ['expired', 2, 3],
    ])
  })

  it.each(['order', 'contract'] as const)(
    'Each number of the kind "%s" can be converted back to its state',
    (reading) => {
      for (const state of contractStates) expect(findContractState(toStatusNumber(state, reading), reading)).toBe(state)
      expect(findContractState(4, reading)).toBeUndefined()
    },
  )
})

describe('an unpaid order (F-09, T1, D30, D31)', () => {
  it('is due seven days after its creation, in the last second of that day', () => {
    expect(getDueTime(createdAt)).toBe('2026-09-21 23:59:59')
  })

  it.each([
    ['2026-09-21 23:59:59', 'unpaid', null, null],
    ['2026-09-22 00:00:00', 'invalid', 'invalid', null],
  ] as const)('has at %s the state %s', (timestamp, state, payRefusal, removeRefusal) => {
    expect(getContractState(order, timestamp)).toBe(state)
    expect([getContractRefusal('pay', state), getContractRefusal('remove', state)]).toEqual([payRefusal, removeRefusal])
  })

  it("expires by the clock of the portal's time zone (T2)", () => {
    // The last second of the day in Hong Kong.
    const lastSecond = Date.parse('2026-09-21T15:59:59Z')
    expect(getContractState(order, toTimestamp(zone, lastSecond))).toBe('unpaid')
    expect(getContractState(order, toTimestamp(zone, lastSecond + 1_000))).toBe('invalid')
  })
})

test('A contract is in effect through its displayed last day, and expired from midnight (T3, D18)', () => {
  const contract = { stored: 'paid' as const, due: '2026-02-27 23:59:59', period_end: '2027-03-01' }
  expect(getLastDay(contract.period_end)).toBe('2027-02-28')
  expect(getContractState(contract, '2027-02-28 23:59:59')).toBe('effective')
  expect(getContractState(contract, '2027-03-01 00:00:00')).toBe('expired')
})

test('Each action is allowed or refused with a reason in each contract state', () => {
  const table = Object.keys(contractRefusals).map((action) => [
    action,
    ...contractStates.map((state) => getContractRefusal(action as keyof typeof contractRefusals, state)),
  ])
  expect(table).toEqual([
    ['open', 'invalid', null, null, null, null],
    ['pay', 'invalid', null, 'paidAlready', 'replaced', 'paidAlready'],
    ['remove', null, null, 'paidAlready', 'replaced', 'paidAlready'],
    ['print', 'invalid', 'notPaid', null, null, null],
    ['change', 'invalid', 'notPaid', null, 'replaced', 'extendFirst'],
    ['extend', 'invalid', 'notPaid', null, 'replaced', null],
  ])
})

test('The notice of a service that is not set up yet depends on the first day (T5)', () => {
  const contract = { state: 'effective' as const, online: 0 as const, period_start: '2026-10-01' }
  const getNotice = (day: string) => getSetUpNotice(contract, day)
  expect([getNotice('2026-09-30'), getNotice('2026-10-01'), getNotice('2026-10-02')]).toEqual([
    'later',
    'soon',
    'failed',
  ])
  expect(getSetUpNotice({ ...contract, online: 1 }, '2026-10-02')).toBeNull()
  expect(getSetUpNotice({ ...contract, state: 'expired' }, '2026-10-02')).toBeNull()
})

describe('findDueReminders', () => {
  const contract = {
    state: 'effective' as const,
    due: '2026-02-27 23:59:59',
    period_end: '2027-03-01',
    alert_date: null,
  }

  it.each([
    ['2026-12-29', []],
    ['2026-12-30', [60]],
    ['2027-01-29', [30]],
    ['2027-02-14', [14]],
    ['2027-02-21', [7]],
    ['2027-02-26', [7]],
    ['2027-02-27', [1]],
  ])('returns on %s, before the end of a contract: %j', (today, days) => {
    expect(findDueReminders(contract, today).map((reminder) => reminder.days)).toEqual(days)
  })

  it.each([
    ['2027-02-28', []],
    ['2027-03-01', [1]],
    ['2027-03-07', [7]],
  ])('returns on %s, after the end of a contract: %j', (today, days) => {
    expect(findDueReminders({ ...contract, state: 'expired' }, today).map((reminder) => reminder.days)).toEqual(days)
  })

  it.each([
    ['2026-02-23', []],
    ['2026-02-24', [3]],
    ['2026-02-26', [1]],
  ])('returns on %s, for an unpaid contract: %j', (today, days) => {
    expect(findDueReminders({ ...contract, state: 'unpaid' }, today)).toEqual(
      days.map((dayCount) => ({ kind: 'due', days: dayCount })),
    )
  })

  it('returns none before the day that staff have set (D45), and none for a replaced contract', () => {
    expect(findDueReminders({ ...contract, alert_date: '2027-02-20' }, '2027-02-14')).toEqual([])
    expect(findDueReminders({ ...contract, state: 'overwritten' }, '2027-02-14')).toEqual([])
  })
})

test('A change is due by the end of its contract at the latest (fault 6a)', () => {
  expect(getDueTimeWithin(createdAt, '2027-10-01')).toBe(getDueTime(createdAt))
  expect(getDueTimeWithin(createdAt, '2026-09-17')).toBe('2026-09-16 23:59:59')
  expect(getDueTimeWithin(createdAt, '2026-09-22')).toBe('2026-09-21 23:59:59')
  expect(getDueTimeWithin(createdAt, '2026-09-23')).toBe(getDueTime(createdAt))
})

/**
 * Life cycle of a contract (contracts 4). The code uses one internal state; the two number readings of the API are mappings of it (D27,
 * D28). Changes by time are calculated from the stored data and the given time, and never stored first.
 */
import { addDays, getLastDay, type PeriodAnchor, countYearsBetween } from '#domain/plain-dates.ts'
import type { PlainDate, Timestamp } from '#domain/time.ts'

export const contractStates = ['invalid', 'unpaid', 'effective', 'overwritten', 'expired'] as const
export type ContractState = (typeof contractStates)[number]

/** `order`: service-order calls, list and detail (reading B). `contract`: history and print (reading A). */
export type StatusReading = 'order' | 'contract'
const statusNumbers = {
  order: { invalid: -1, unpaid: 0, effective: 1, expired: 2, overwritten: 3 },
  contract: { invalid: -1, unpaid: 0, effective: 1, overwritten: 2, expired: 3 },
} as const satisfies Record<StatusReading, Record<ContractState, number>>

export const toStatusNumber = (state: ContractState, reading: StatusReading): -1 | 0 | 1 | 2 | 3 =>
  statusNumbers[reading][state]

export const findContractState = (status: number, reading: StatusReading): ContractState | undefined =>
  contractStates.find((state) => statusNumbers[reading][state] === status)

const daysToPay = 7

/** The last second in which an order can be paid, in the business time zone (D31). */
export const getDueTime = (createTime: Timestamp): Timestamp =>
  `${addDays(createTime.slice(0, 10), daysToPay)} 23:59:59`

/**
 * Returns the payment deadline, which is not later than the last second of the contract or backup period. `periodEnd` is exclusive
 * (decision 62).
 */
export function getDueTimeWithin(createTime: Timestamp, periodEnd: PlainDate): Timestamp {
  const [dueTime, endTime] = [getDueTime(createTime), `${getLastDay(periodEnd)} 23:59:59`]
  return endTime < dueTime ? endTime : dueTime
}

/** Orders created before this day can no longer be paid. */
export const getFirstPayableDay = (today: PlainDate): PlainDate => addDays(today, -daysToPay)

export interface PayableContract {
  stored: 'invalid' | 'unpaid' | 'paid' | 'overwritten'
  /** Payment deadline. It was fixed when the order was created, also if the order was back-dated (D39). */
  due: Timestamp
  /** Exclusive end date (D18). */
  period_end: PlainDate
}

/** Returns the state at `now`, which is in the business time zone (D30, D31). */
export function getContractState(
  { stored: storedState, due: dueTime, period_end: end }: PayableContract,
  now: Timestamp,
): ContractState {
  if (storedState === 'unpaid') return now > dueTime ? 'invalid' : 'unpaid'
  if (storedState === 'paid') return now.slice(0, 10) >= end ? 'expired' : 'effective'
  return storedState
}

export interface AnchoredContract {
  anchor_date?: PlainDate | null
  anchor_months?: number | null
  period_start: PlainDate
  /** Exclusive end date (D18). */
  period_end: PlainDate
}

/** Start of the counted years (decision 60). Older contracts have no anchor and use their first start. */
export const getContractAnchor = (contract: AnchoredContract): PeriodAnchor => ({
  date: contract.anchor_date ?? contract.period_start,
  months: contract.anchor_months ?? 12 * countYearsBetween(contract.period_start, contract.period_end),
})

export type ContractAction = 'open' | 'pay' | 'remove' | 'print' | 'change' | 'extend'

/** Reasons why an action is not offered. `extendFirst` is displayed next to a disabled button (D29). */
export type ContractRefusal = 'invalid' | 'paidAlready' | 'notPaid' | 'replaced' | 'extendFirst'

const commonRefusals = {
  paid: { effective: 'paidAlready', expired: 'paidAlready', overwritten: 'replaced' },
  notPaid: { invalid: 'invalid', unpaid: 'notPaid' },
} as const

export const contractRefusals = {
  /** Rows can be opened from status 0 on (contracts 2). */
  open: { invalid: 'invalid' },
  pay: { invalid: 'invalid', ...commonRefusals.paid },
  /** Only contracts that never took effect can be deleted (D33). */
  remove: commonRefusals.paid,
  print: commonRefusals.notPaid,
  change: { ...commonRefusals.notPaid, overwritten: 'replaced', expired: 'extendFirst' },
  /** Also allowed after expiry; the extension then starts today. */
  extend: { ...commonRefusals.notPaid, overwritten: 'replaced' },
} as const satisfies Record<ContractAction, Partial<Record<ContractState, ContractRefusal>>>

export function getContractRefusal(action: ContractAction, state: ContractState): ContractRefusal | null {
  const reasons: Partial<Record<ContractState, ContractRefusal>> = contractRefusals[action]
  return reasons[state] ?? null
}

/** Notice about the set-up of an effective contract whose service does not exist yet (contracts 4). */
export function getSetUpNotice(
  contract: { state: ContractState; online: 0 | 1; period_start: PlainDate },
  today: PlainDate,
): 'later' | 'soon' | 'failed' | null {
  if (contract.state !== 'effective' || contract.online === 1) return null
  if (contract.period_start > today) return 'later'
  return contract.period_start === today ? 'soon' : 'failed'
}

const daysBeforeExpiry = [60, 30, 14, 7, 1]
const daysAfterExpiry = [1, 7]
const daysBeforeDue = [3, 1]
/** Maximum distance in days between a reminder and its date. */
export const maxReminderDays = {
  beforeExpiry: Math.max(...daysBeforeExpiry),
  afterExpiry: Math.max(...daysAfterExpiry),
  beforeDue: Math.max(...daysBeforeDue),
}

export type ContractReminder = { kind: 'expiry' | 'expired' | 'due'; days: number }

/**
 * Returns the reminders that are due today or were missed before. Of each kind only the latest is returned, so that a server that was down
 * for a month does not send five. The last day of service is day 0 (D18). There are no reminders before `alertDate` (D45).
 */
export function findDueReminders(
  contract: { state: ContractState; due: Timestamp; period_end: PlainDate; alert_date: PlainDate | null },
  today: PlainDate,
): ContractReminder[] {
  const { state, alert_date: alertDate } = contract
  if (alertDate !== null && today < alertDate) return []
  const findLatestReminder = (
    kind: ContractReminder['kind'],
    days: readonly number[],
    getDay: (days: number) => PlainDate,
  ): ContractReminder[] => {
    const dueDays = days.filter((reminderDays) => getDay(reminderDays) <= today)
    const latestDays = dueDays.toSorted((a, b) => (getDay(a) < getDay(b) ? -1 : 1)).at(-1)
    return latestDays === undefined ? [] : [{ kind, days: latestDays }]
  }
  const end = getLastDay(contract.period_end)
  if (state === 'unpaid')
    return findLatestReminder('due', daysBeforeDue, (days) => addDays(contract.due.slice(0, 10), -days))
  if (state === 'effective') return findLatestReminder('expiry', daysBeforeExpiry, (days) => addDays(end, -days))
  if (state === 'expired') return findLatestReminder('expired', daysAfterExpiry, (days) => addDays(end, days))
  return []
}

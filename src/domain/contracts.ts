/**
 * The life of a contract (contracts 4). One inner state; the two readings of its number on the wire are renamings of it
 * (D27, D28). What time does to a contract is worked out from what is stored and the moment asked for, never stored first.
 */
import { addDays, getLastDay, type PeriodAnchor, countYearsBetween } from '#domain/plain-dates.ts'
import type { PlainDate, Timestamp } from '#domain/time.ts'

export const contractStates = ['invalid', 'unpaid', 'effective', 'overwritten', 'expired'] as const
export type ContractState = (typeof contractStates)[number]

/** `order`: of the service-order calls, list and detail (reading B). `contract`: of history and print (reading A). */
export type StatusReading = 'order' | 'contract'
const statusNumbers = {
  order: { invalid: -1, unpaid: 0, effective: 1, expired: 2, overwritten: 3 },
  contract: { invalid: -1, unpaid: 0, effective: 1, overwritten: 2, expired: 3 },
} as const satisfies Record<StatusReading, Record<ContractState, number>>

export const toStatusNumber = (state: ContractState, reading: StatusReading): -1 | 0 | 1 | 2 | 3 =>
  statusNumbers[reading][state]

/** Undefined: no state has this number. */
export const findContractState = (status: number, reading: StatusReading): ContractState | undefined =>
  contractStates.find((state) => statusNumbers[reading][state] === status)

const daysToPay = 7

/** The last second in which an order can be paid, in the business time zone (D31). */
export const getDueTime = (createTime: Timestamp): Timestamp =>
  `${addDays(createTime.slice(0, 10), daysToPay)} 23:59:59`

/**
 * The due time of a change or a backup: not later than the last second of the contract that it changes, or of its own period. That end is
 * exclusive (decision 62).
 */
export function getDueTimeWithin(createTime: Timestamp, periodEnd: PlainDate): Timestamp {
  const [dueTime, endTime] = [getDueTime(createTime), `${getLastDay(periodEnd)} 23:59:59`]
  return endTime < dueTime ? endTime : dueTime
}

/** What was made on that day can still be paid today; on an earlier one, no more. */
export const getFirstPayableDay = (today: PlainDate): PlainDate => addDays(today, -daysToPay)

/** What the database keeps of an order; the rest is a matter of the moment. */
export interface PayableContract {
  stored: 'invalid' | 'unpaid' | 'paid' | 'overwritten'
  /** As it was fixed when it was ordered, whatever day it bears (D39). */
  due: Timestamp
  /** Exclusive (D18). */
  period_end: PlainDate
}

/** The state at a moment given in the business time zone (D30, D31). */
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
  /** Exclusive (D18). */
  period_end: PlainDate
}

/** From where the contract's years count (decision 60). What an older version wrote or sent counts from its first start. */
export const getContractAnchor = (contract: AnchoredContract): PeriodAnchor => ({
  date: contract.anchor_date ?? contract.period_start,
  months: contract.anchor_months ?? 12 * countYearsBetween(contract.period_start, contract.period_end),
})

export type ContractAction = 'open' | 'pay' | 'remove' | 'print' | 'change' | 'extend'

/** Why a move is not offered; `extendFirst` is shown beside a button that cannot be used (D29). */
export type ContractRefusal = 'invalid' | 'paidAlready' | 'notPaid' | 'replaced' | 'extendFirst'

const commonRefusals = {
  paid: { effective: 'paidAlready', expired: 'paidAlready', overwritten: 'replaced' },
  notPaid: { invalid: 'invalid', unpaid: 'notPaid' },
} as const

/** Move -> the states that do not allow it, each with the reason. What is not named is allowed. */
export const contractRefusals = {
  /** Rows open from 0 on (contracts 2). */
  open: { invalid: 'invalid' },
  pay: { invalid: 'invalid', ...commonRefusals.paid },
  /** Only what is not in effect and never was (D33). */
  remove: commonRefusals.paid,
  print: commonRefusals.notPaid,
  change: { ...commonRefusals.notPaid, overwritten: 'replaced', expired: 'extendFirst' },
  /** After expiry as well: it then begins today. */
  extend: { ...commonRefusals.notPaid, overwritten: 'replaced' },
} as const satisfies Record<ContractAction, Partial<Record<ContractState, ContractRefusal>>>

/** Null: it is allowed. */
export function getContractRefusal(action: ContractAction, state: ContractState): ContractRefusal | null {
  const reasons: Partial<Record<ContractState, ContractRefusal>> = contractRefusals[action]
  return reasons[state] ?? null
}

/** What people are told of the set-up of a contract in effect whose service is not there yet (contracts 4). */
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
/** How far from its day a reminder may lie. */
export const maxReminderDays = {
  beforeExpiry: Math.max(...daysBeforeExpiry),
  afterExpiry: Math.max(...daysAfterExpiry),
  beforeDue: Math.max(...daysBeforeDue),
}

export type ContractReminder = { kind: 'expiry' | 'expired' | 'due'; days: number }

/**
 * The reminders of a contract whose day this is, or was while nobody looked: the latest of each kind only, so that a
 * server that slept for a month does not send five. The last day of service counts as day 0 (D18). `alertDate`: none
 * before that day (D45).
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

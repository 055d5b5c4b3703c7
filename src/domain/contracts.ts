/**
 * The life of a contract (contracts 4). One inner state; the two readings of its number on the wire are renamings of it
 * (D27, D28). What time does to a contract is worked out from what is stored and the moment asked for, never stored first.
 */
import { addDays, lastDay, type PeriodAnchor, yearsBetween } from '#domain/period.ts'
import type { PlainDate, Timestamp } from '#domain/time.ts'

export const contractStates = ['invalid', 'unpaid', 'effective', 'overwritten', 'expired'] as const
export type ContractState = (typeof contractStates)[number]

/** `order`: of the service-order calls, list and detail (reading B). `contract`: of history and print (reading A). */
export type Reading = 'order' | 'contract'
const numbers = {
  order: { invalid: -1, unpaid: 0, effective: 1, expired: 2, overwritten: 3 },
  contract: { invalid: -1, unpaid: 0, effective: 1, overwritten: 2, expired: 3 },
} as const satisfies Record<Reading, Record<ContractState, number>>

export const statusNumber = (state: ContractState, reading: Reading): -1 | 0 | 1 | 2 | 3 => numbers[reading][state]

/** Undefined: no state has this number. */
export const stateOfNumber = (status: number, reading: Reading): ContractState | undefined =>
  contractStates.find((state) => numbers[reading][state] === status)

const daysToPay = 7

/** The last second in which an order can be paid, in the business time zone (D31). */
export const dueOf = (created: Timestamp): Timestamp => `${addDays(created.slice(0, 10), daysToPay)} 23:59:59`

/**
 * The due time of a change or a backup: not later than the last second of the contract that it changes, or of its own period. That end is
 * exclusive (decision 62).
 */
export function dueWithin(created: Timestamp, periodEnd: PlainDate): Timestamp {
  const [due, end] = [dueOf(created), `${lastDay(periodEnd)} 23:59:59`]
  return end < due ? end : due
}

/** What was made on that day can still be paid today; on an earlier one, no more. */
export const firstDayToPay = (today: PlainDate): PlainDate => addDays(today, -daysToPay)

/** What the database keeps of an order; the rest is a matter of the moment. */
export interface DueContract {
  stored: 'invalid' | 'unpaid' | 'paid' | 'overwritten'
  /** As it was fixed when it was ordered, whatever day it bears (D39). */
  due: Timestamp
  /** Exclusive (D18). */
  period_end: PlainDate
}

/** The state at a moment given in the business time zone (D30, D31). */
export function stateOf({ stored, due, period_end: end }: DueContract, now: Timestamp): ContractState {
  if (stored === 'unpaid') return now > due ? 'invalid' : 'unpaid'
  if (stored === 'paid') return now.slice(0, 10) >= end ? 'expired' : 'effective'
  return stored
}

export interface AnchoredContract {
  anchor_date?: PlainDate | null
  anchor_months?: number | null
  period_start: PlainDate
  /** Exclusive (D18). */
  period_end: PlainDate
}

/** From where the contract's years count (decision 60). What an older version wrote or sent counts from its first start. */
export const contractAnchor = (contract: AnchoredContract): PeriodAnchor => ({
  date: contract.anchor_date ?? contract.period_start,
  months: contract.anchor_months ?? 12 * yearsBetween(contract.period_start, contract.period_end),
})

export type ContractMove = 'open' | 'pay' | 'remove' | 'print' | 'change' | 'extend'

/** Why a move is not offered; `extendFirst` is shown beside a button that cannot be used (D29). */
export type WhyNotContract = 'invalid' | 'paidAlready' | 'notPaid' | 'replaced' | 'extendFirst'

const no = {
  paid: { effective: 'paidAlready', expired: 'paidAlready', overwritten: 'replaced' },
  notPaid: { invalid: 'invalid', unpaid: 'notPaid' },
} as const

/** Move -> the states that do not allow it, each with the reason. What is not named is allowed. */
export const contractMoves = {
  /** Rows open from 0 on (contracts 2). */
  open: { invalid: 'invalid' },
  pay: { invalid: 'invalid', ...no.paid },
  /** Only what is not in effect and never was (D33). */
  remove: no.paid,
  print: no.notPaid,
  change: { ...no.notPaid, overwritten: 'replaced', expired: 'extendFirst' },
  /** After expiry as well: it then begins today. */
  extend: { ...no.notPaid, overwritten: 'replaced' },
} as const satisfies Record<ContractMove, Partial<Record<ContractState, WhyNotContract>>>

/** Null: it is allowed. */
export function whyNotContract(move: ContractMove, state: ContractState): WhyNotContract | null {
  const reasons: Partial<Record<ContractState, WhyNotContract>> = contractMoves[move]
  return reasons[state] ?? null
}

/** What people are told of the set-up of a contract in effect whose service is not there yet (contracts 4). */
export function setUpNotice(
  contract: { state: ContractState; online: 0 | 1; period_start: PlainDate },
  today: PlainDate,
): 'later' | 'soon' | 'failed' | null {
  if (contract.state !== 'effective' || contract.online === 1) return null
  if (contract.period_start > today) return 'later'
  return contract.period_start === today ? 'soon' : 'failed'
}

const beforeExpiry = [60, 30, 14, 7, 1]
const afterExpiry = [1, 7]
const beforeDue = [3, 1]
/** How far from its day a reminder may lie. */
export const reminderReach = {
  beforeExpiry: Math.max(...beforeExpiry),
  afterExpiry: Math.max(...afterExpiry),
  beforeDue: Math.max(...beforeDue),
}

export type Reminder = { of: 'expiry' | 'expired' | 'due'; days: number }

/**
 * The reminders of a contract whose day this is, or was while nobody looked: the latest of each kind only, so that a
 * server that slept for a month does not send five. The last day of service counts as day 0 (D18). `alertDate`: none
 * before that day (D45).
 */
export function remindersDue(
  contract: { state: ContractState; due: Timestamp; period_end: PlainDate; alert_date: PlainDate | null },
  today: PlainDate,
): Reminder[] {
  const { state, alert_date: alertDate } = contract
  if (alertDate !== null && today < alertDate) return []
  const latest = (of: Reminder['of'], days: readonly number[], dayOf: (days: number) => PlainDate): Reminder[] => {
    const due = days.filter((one) => dayOf(one) <= today)
    const last = due.toSorted((a, b) => (dayOf(a) < dayOf(b) ? -1 : 1)).at(-1)
    return last === undefined ? [] : [{ of, days: last }]
  }
  const end = lastDay(contract.period_end)
  if (state === 'unpaid') return latest('due', beforeDue, (days) => addDays(contract.due.slice(0, 10), -days))
  if (state === 'effective') return latest('expiry', beforeExpiry, (days) => addDays(end, -days))
  if (state === 'expired') return latest('expired', afterExpiry, (days) => addDays(end, days))
  return []
}

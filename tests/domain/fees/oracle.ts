/**
 * A second reckoning of fees, from the specification's formulas (contracts 9, D1 to D23) and apart from the product: the
 * types of a price list are all that both have in common. It is as plain as it can be, user by user and day by day,
 * because all that is asked of it is to be right.
 */
import type { Choice, UatBound } from '#domain/fees/annual.ts'
import type { PriceList } from '#domain/fees/price-list.ts'
import type { Currency } from '#domain/money.ts'
import { dayAt, dayOf, daysAfter, monthsAfter, placeOf, yearsAfter } from '#tests/domain/fees/calendar.ts'
import {
  decimal,
  type Exact,
  isHalf,
  isMore,
  least,
  minus,
  most,
  over,
  plus,
  rounded,
  sumOf,
  times,
  whole,
  written,
  zero,
} from '#tests/domain/fees/exact.ts'

/** Something that is asked of a contract. What is paid for becomes a part of it, what is not leaves no trace (D11). */
export type Step = { at: number; list: number; choice: Choice; isPaid: boolean } & (
  | { ask: 'create'; start: string; years: number }
  | { ask: 'extend'; years: number }
  | { ask: 'change' }
)

export interface ContractCase {
  kind: 'contract'
  currency: Currency
  uatBound: UatBound
  /** Their ranges as they were typed (D82). */
  lists: PriceList[]
  /** What was paid before the first step, in order; none: the first step has to create it. */
  paid: { start: string; end: string; annual: string }[]
  steps: Step[]
}

export interface BackupCase {
  kind: 'backup'
  at: number
  /** End of the present subscription, exclusive. */
  present: string | null
  /** The first day of the periods that led there without a gap or a cut, and the months bought since; none: it is not known. */
  anchor?: { date: string; months: number } | null
  contractEnd: string
  period: number
  unit: 'year' | 'month'
  fee: string
  discount: number
}

export interface TrafficCase {
  kind: 'traffic'
  measured: string
  free: number
  price: string
}

export type Case = ContractCase | BackupCase | TrafficCase

/** By field; of a refusal every reason that would do, because nothing says which one comes first. */
export type Answer = Record<string, string | number | boolean | string[]> | { refused: string[] }

/** What a case went through, so that it can be told whether the cases get everywhere. */
export type Marks = Set<string>

interface Paid {
  start: string
  end: string
  annual: Exact
}

interface Contract {
  end: string
  paid: Paid[]
  /** The first day of what follows without a gap, and the months bought since; null: not known of what was paid before the first step. */
  run: { first: string; months: number } | null
}

interface Year {
  parts: Record<string, string | string[]>
  annual: Exact
}

function roundedAt(place: string, exact: Exact, marks: Marks): Exact {
  if (isHalf(exact)) marks.add(`half a cent: ${place}`)
  return rounded(exact)
}

type Column = 'hkd' | 'usd' | 'rmb'
const columns: Record<Currency, Column> = { HKD: 'hkd', USD: 'usd', RMB: 'rmb' }

/** Every user looks for the range that he is in; null: one of them finds none (D2, D3, D82). */
function usersIn(rows: PriceList['namedUser'], column: Column, users: number, marks: Marks) {
  const ranges: { to: number; price: string; count: number }[] = []
  for (const row of rows) {
    if (row.to === 0) continue
    const from = (ranges.at(-1)?.to ?? 0) + 1
    ranges.push({ to: Math.max(from, row.to), price: row[column], count: 0 })
  }
  let user = 1
  for (const range of ranges) for (; user <= users && user <= range.to; user++) range.count++
  if (user <= users) return null
  const filled = ranges.filter(({ count }) => count > 0)
  if (users === 0) marks.add('users: none')
  if (filled.some(({ to }) => to === users)) marks.add('users: the last of a range')
  if (filled.length > 1 && filled.at(-1)?.count === 1) marks.add('users: the first of a range')
  if (filled.length > 2) marks.add('users: in three ranges and more')
  if (users > 100_000) marks.add('users: more than 100,000')
  return filled
}

/** What a year costs (D1 to D7), or why it has no price. */
function yearOf(one: ContractCase, { list: at, choice }: Step, marks: Marks): Year | { refused: string[] } {
  const list = one.lists[at]
  if (!list) throw new Error('there is no such list')
  const column = columns[one.currency]
  const ranges = usersIn(
    choice.user_mode === 'NAMED' ? list.namedUser : list.concurrentUser,
    column,
    choice.users,
    marks,
  )
  const chosen = [...new Set(choice.modules)].toSorted()
  const missing = chosen.filter((code) => !list.module.some((row) => row.code === code))
  const refused = [
    ...(ranges ? [] : ['USERS_OUT_OF_RANGE']),
    ...(missing.length ? [`modules not listed: ${missing.join(',')}`] : []),
  ]
  if (!ranges || refused.length) return { refused }

  const tierSum = sumOf(ranges.map(({ count, price }) => times(whole(count), decimal(price))))
  const moduleSum = sumOf(
    chosen.flatMap((code) => list.module.filter((row) => row.code === code).map((row) => decimal(row[column]))),
  )
  const sum = plus(tierSum, moduleSum)
  const cap = decimal(list[`uat_cap_${column}`])
  const percent = decimal(list.uat_charge)
  const share = choice.uat ? roundedAt('UAT', over(times(sum, percent), 100), marks) : zero
  const uat = choice.uat ? (one.uatBound === 'floor' ? most : least)(share, cap) : zero
  const total = plus(sum, uat)
  const minimum = decimal(list[`min_fee_${column}`])
  const annual = most(total, minimum)

  marks.add(`mode: ${choice.user_mode}`).add(`UAT: ${choice.uat ? one.uatBound : 'none'}`)
  if (choice.uat)
    marks.add(isMore(uat, share) || isMore(share, uat) ? 'UAT: its bound counts' : 'UAT: its percentage counts')
  if (choice.uat && percent.top === 0n) marks.add('UAT: of 0 percent')
  if (chosen.length === 0) marks.add('modules: none')
  if (chosen.length < choice.modules.length) marks.add('modules: one named twice')
  marks.add(
    isMore(minimum, total) ? 'fee: the least there is' : annual.top === 0n ? 'fee: 0.00' : 'fee: what it adds up to',
  )
  return {
    parts: {
      tiers: ranges.map(({ count, price }) => `${count}x${price}`),
      tier_sum: written(tierSum),
      module_sum: written(moduleSum),
      sum: written(sum),
      uat_share: written(share),
      uat_fee: written(uat),
      total: written(total),
      annual: written(annual),
    },
    annual,
  }
}

const later = (a: string, b: string) => (a > b ? a : b)

/** The first day of the run, and how many of its years are over, on a day on which one of them begins; else the day itself. */
function yearDay(from: string, run: Contract['run']): { first: string; begun: number } {
  for (let begun = 0; run && yearsAfter(run.first, begun) <= from; begun++)
    if (yearsAfter(run.first, begun) === from) return { first: run.first, begun }
  return { first: from, begun: 0 }
}

/** From `from` until before `end`: whole years, else days / 365, and no more than the years that hold them (D9). */
function factor(from: string, end: string, run: Contract['run'], marks: Marks): Exact {
  const { first, begun } = yearDay(from, run)
  let years = 1
  while (yearsAfter(first, begun + years) < end) years++
  if (yearsAfter(first, begun + years) === end) {
    marks.add('time: whole years')
    if (yearsAfter(from, years) !== end) marks.add('time: whole years up to a 29 February that came back')
    return whole(years)
  }
  let days = 0
  let hasLeapDay = false
  for (let place = placeOf(from); place < placeOf(end); place++) {
    days++
    hasLeapDay ||= dayAt(place).endsWith('-02-29')
  }
  marks.add(days === 1 ? 'time: a single day' : days > 366 ? 'time: days of several years' : 'time: days')
  if (days === 366) marks.add('time: 366 days that are no year')
  if (hasLeapDay) marks.add('time: days with a 29 February')
  const byDays = over(whole(days), 365)
  if (isMore(byDays, whole(years))) marks.add('time: days that count as whole years')
  return least(byDays, whole(years))
}

const due = (contractAmount: Exact, residual: Exact) => ({
  contract_amount: written(contractAmount),
  residual_amount: written(residual),
  amount: written(most(zero, minus(contractAmount, residual))),
})

function markDay(name: string, day: string, marks: Marks) {
  if (day.endsWith('-02-29')) marks.add(`${name}: on 29 February`)
  if (daysAfter(day, 1).endsWith('-01')) marks.add(`${name}: on the last of a month`)
}

/** So many years from a day on (D8), which end where the whole run does (D19). */
function bought(
  start: string,
  years: number,
  { annual, parts }: Year,
  run: NonNullable<Contract['run']>,
): [Answer, Paid] {
  const end = monthsAfter(run.first, run.months)
  const period = { period_start: start, period_end: end, shown_expiry: daysAfter(end, -1) }
  return [
    { ...parts, ...due(times(annual, whole(years)), zero), ...period },
    { start, end, annual },
  ]
}

function changed(contract: Contract, today: string, { annual, parts }: Year, marks: Marks): [Answer, Paid[]] {
  const still = contract.paid
    .filter(({ end }) => end > today)
    .map(({ start, ...rest }) => ({ ...rest, start: later(today, start) }))
  const factors = still.map(({ start, end }) => factor(start, end, contract.run, marks))
  const contractAmount = roundedAt('change', sumOf(factors.map((share) => times(annual, share))), marks)
  const paidFor = still.map((one, at) => times(one.annual, factors[at] ?? zero))
  const residual = roundedAt('residual', sumOf(paidFor), marks)
  marks.add(`change: of ${still.length > 2 ? 'three and more' : still.length} paid segments`)
  marks.add(
    isMore(contractAmount, residual)
      ? 'change: something is due'
      : isMore(residual, contractAmount)
        ? 'change: more was paid than it costs'
        : 'change: costs what was paid',
  )
  const [first, last] = [contract.paid[0]?.start ?? '', daysAfter(contract.end, -1)]
  if (today < first) marks.add('change: before the start')
  if (today === first) marks.add('change: on the first day')
  if (today === last) marks.add('change: on the last day')
  if (today > first && today.slice(5) === first.slice(5)) marks.add('change: on the day a year begins')
  markDay('change', today, marks)
  const period = { period_end: contract.end, shown_expiry: last }
  return [{ ...parts, ...due(contractAmount, residual), ...period }, still.map((one) => ({ ...one, annual }))]
}

function extended(contract: Contract, today: string, years: number, year: Year, marks: Marks): [Answer, Contract] {
  marks.add(
    `extend: ${today < contract.end ? 'before the end' : today === contract.end ? 'on the end' : 'after the end'}`,
  )
  const start = later(contract.end, today)
  const isGap = start !== contract.end || !contract.run
  const run = isGap
    ? { first: start, months: 12 * years }
    : { ...contract.run!, months: contract.run!.months + 12 * years }
  const [answer, paid] = bought(start, years, year, run)
  if (yearsAfter(start, years) !== paid.end) marks.add('extend: to a 29 February that comes back')
  return [answer, { end: paid.end, paid: [...contract.paid, paid], run }]
}

function contractAnswers(one: ContractCase, marks: Marks): Answer[] {
  const last = one.paid.at(-1)
  let contract: Contract | null = last
    ? { end: last.end, paid: one.paid.map(({ annual, ...days }) => ({ ...days, annual: decimal(annual) })), run: null }
    : null
  marks.add(`currency: ${one.currency}`)
  return one.steps.map((step): Answer => {
    const today = dayOf(step.at)
    const year = yearOf(one, step, marks)
    const isOver = step.ask === 'change' && contract !== null && contract.end <= today
    if ('refused' in year || isOver) {
      const reasons = [...('refused' in year ? year.refused : []), ...(isOver ? ['expired'] : [])]
      for (const reason of reasons) marks.add(`refused: ${reason.split(':')[0]}`)
      return { refused: reasons }
    }
    if (!step.isPaid) marks.add('asked, not paid')
    if (step.ask === 'create') {
      const run = { first: step.start, months: 12 * step.years }
      const [answer, paid] = bought(step.start, step.years, year, run)
      if (step.isPaid) contract = { end: paid.end, paid: [paid], run }
      marks.add(`create: ${step.years > 9 ? 'ten years and more' : step.years > 1 ? 'years' : 'a year'}`)
      markDay('create', step.start, marks)
      return answer
    }
    if (!contract) return { refused: ['no contract'] }
    if (step.ask === 'extend') {
      const [answer, next] = extended(contract, today, step.years, year, marks)
      if (step.isPaid) contract = next
      return answer
    }
    const [answer, paid] = changed(contract, today, year, marks)
    if (step.isPaid) contract = { ...contract, paid }
    return answer
  })
}

/** D19, D20, D21. */
function backupAnswer(one: BackupCase, marks: Marks): Answer {
  const start = later(dayOf(one.at), one.present ?? '')
  if (start >= one.contractEnd) {
    marks.add('refused: backup of no contract')
    return { refused: ['nothing left'] }
  }
  const wished = one.period * (one.unit === 'year' ? 12 : 1)
  const run = one.anchor && start === one.present ? one.anchor : { date: start, months: 0 }
  const after = (months: number) => monthsAfter(run.date, run.months + months)
  let months = 1
  while (months < wished && after(months) < one.contractEnd) months++
  const isCut = after(wished) > one.contractEnd
  if (after(wished) !== monthsAfter(start, wished)) marks.add('backup: ends where its run does')
  const amount = roundedAt('backup', over(times(decimal(one.fee), whole(months)), 12), marks)
  const pay = roundedAt('discount', over(times(amount, whole(100 - one.discount)), 100), marks)
  marks.add(`backup: ${isCut ? 'cut at the end of the contract' : `whole, by ${one.unit}`}`)
  marks.add(`discount: ${[0, 100].includes(one.discount) ? one.discount : 'between'}`)
  markDay('backup', start, marks)
  const end = isCut ? one.contractEnd : after(wished)
  return { start, end, months, isCut, amount: written(amount), pay_amount: written(pay) }
}

/** D22. */
function trafficAnswer(one: TrafficCase, marks: Marks): Answer {
  const extra = most(zero, minus(decimal(one.measured), whole(one.free)))
  marks.add(`traffic: ${extra.top === 0n ? 'free' : 'to be paid'}`)
  return { extra: written(extra), amount: written(roundedAt('traffic', times(extra, decimal(one.price)), marks)) }
}

export function oracleOf(one: Case): { answers: Answer[]; marks: Marks } {
  const marks: Marks = new Set()
  if (one.kind === 'contract') return { answers: contractAnswers(one, marks), marks }
  return { answers: [one.kind === 'backup' ? backupAnswer(one, marks) : trafficAnswer(one, marks)], marks }
}

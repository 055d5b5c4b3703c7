/**
 * Calculates fees a second time, from the formulas of the specification (contracts 9, D1 to D23). It shares only the types of a price list
 * with the product. It is as simple as possible, user by user and day by day, because it only has to be right.
 */
import type { ContractTerms, UatBound } from '#domain/fees/annual.ts'
import type { PriceList } from '#domain/fees/price-list.ts'
import type { Currency } from '#domain/money.ts'
import { toDay, toBusinessDay, addDays, monthsAfter, toDayNumber, yearsAfter } from '#tests/domain/fees/calendar.ts'
import {
  parseExact,
  type ExactNumber,
  isHalf,
  isMore,
  getSmaller,
  subtract,
  getLarger,
  divide,
  add,
  roundExact,
  sumExact,
  multiply,
  toExact,
  formatExact,
  zero,
} from '#tests/domain/fees/exact.ts'

/** A request for a contract. A paid request becomes part of the contract, an unpaid one has no effect (D11). */
export type OracleStep = { time: number; list: number; choice: ContractTerms; isPaid: boolean } & (
  | { ask: 'create'; start: string; years: number }
  | { ask: 'extend'; years: number }
  | { ask: 'change' }
)

export interface ContractCase {
  kind: 'contract'
  currency: Currency
  uatBound: UatBound
  /** Price lists, with ranges as they were typed (D82). */
  lists: PriceList[]
  /** Segments that were paid before the first step, in order. If the list is empty, the first step must create the contract. */
  paid: { start: string; end: string; annual: string }[]
  steps: OracleStep[]
}

export interface BackupCase {
  kind: 'backup'
  time: number
  /** End of the current subscription, exclusive. */
  currentEnd: string | null
  /** First day of the latest periods without a gap or a cut, and the months bought since then. Missing if unknown. */
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

export type FeeCase = ContractCase | BackupCase | TrafficCase

/** The result by field. A refusal has every possible reason, because the specification does not order them. */
export type OracleResult = Record<string, string | number | boolean | string[]> | { refused: string[] }

/** The branches that a case went through, so that a test can check whether all branches are covered. */
export type CoverageMarks = Set<string>

interface ExactSegment {
  start: string
  end: string
  annual: ExactNumber
}

interface OracleContract {
  end: string
  paid: ExactSegment[]
  /**
   * First day of the periods without a gap, and the months bought since then. Null if it is unknown, for periods that were paid before the
   * first step.
   */
  run: { first: string; months: number } | null
}

interface OracleYear {
  parts: Record<string, string | string[]>
  annual: ExactNumber
}

function roundAndMark(mark: string, number: ExactNumber, marks: CoverageMarks): ExactNumber {
  if (isHalf(number)) marks.add(`half a cent: ${mark}`)
  return roundExact(number)
}

type Column = 'hkd' | 'usd' | 'rmb'
const columns: Record<Currency, Column> = { HKD: 'hkd', USD: 'usd', RMB: 'rmb' }

/** Assigns each user to the range that contains the user's number. Returns null if a user is in no range (D2, D3, D82). */
function fillRanges(rows: PriceList['namedUser'], column: Column, users: number, marks: CoverageMarks) {
  const ranges: { to: number; price: string; count: number }[] = []
  for (const row of rows) {
    if (row.to === 0) continue
    const from = (ranges.at(-1)?.to ?? 0) + 1
    ranges.push({ to: Math.max(from, row.to), price: row[column], count: 0 })
  }
  let user = 1
  for (const range of ranges) for (; user <= users && user <= range.to; user++) range.count++
  if (user <= users) return null
  const filledRanges = ranges.filter(({ count }) => count > 0)
  if (users === 0) marks.add('users: none')
  if (filledRanges.some(({ to }) => to === users)) marks.add('users: the last of a range')
  if (filledRanges.length > 1 && filledRanges.at(-1)?.count === 1) marks.add('users: the first of a range')
  if (filledRanges.length > 2) marks.add('users: in three ranges and more')
  if (users > 100_000) marks.add('users: more than 100,000')
  return filledRanges
}

/** Returns the fee of a year (D1 to D7), or the reasons why there is no price. */
function calculateYear(
  contractCase: ContractCase,
  { list: listIndex, choice }: OracleStep,
  marks: CoverageMarks,
): OracleYear | { refused: string[] } {
  const list = contractCase.lists[listIndex]
  if (!list) throw new Error('there is no such list')
  const column = columns[contractCase.currency]
  const ranges = fillRanges(
    choice.user_mode === 'NAMED' ? list.namedUser : list.concurrentUser,
    column,
    choice.users,
    marks,
  )
  const selectedCodes = [...new Set(choice.modules)].toSorted()
  const missingCodes = selectedCodes.filter((code) => !list.module.some((row) => row.code === code))
  const refused = [
    ...(ranges ? [] : ['USERS_OUT_OF_RANGE']),
    ...(missingCodes.length ? [`modules not listed: ${missingCodes.join(',')}`] : []),
  ]
  if (!ranges || refused.length) return { refused }

  const tierSum = sumExact(ranges.map(({ count, price }) => multiply(toExact(count), parseExact(price))))
  const moduleSum = sumExact(
    selectedCodes.flatMap((code) =>
      list.module.filter((row) => row.code === code).map((row) => parseExact(row[column])),
    ),
  )
  const sum = add(tierSum, moduleSum)
  const cap = parseExact(list[`uat_cap_${column}`])
  const percent = parseExact(list.uat_charge)
  const share = choice.uat ? roundAndMark('UAT', divide(multiply(sum, percent), 100), marks) : zero
  const uat = choice.uat ? (contractCase.uatBound === 'floor' ? getLarger : getSmaller)(share, cap) : zero
  const total = add(sum, uat)
  const minimum = parseExact(list[`min_fee_${column}`])
  const annual = getLarger(total, minimum)

  marks.add(`mode: ${choice.user_mode}`).add(`UAT: ${choice.uat ? contractCase.uatBound : 'none'}`)
  if (choice.uat)
    marks.add(isMore(uat, share) || isMore(share, uat) ? 'UAT: its bound counts' : 'UAT: its percentage counts')
  if (choice.uat && percent.top === 0n) marks.add('UAT: of 0 percent')
  if (selectedCodes.length === 0) marks.add('modules: none')
  if (selectedCodes.length < choice.modules.length) marks.add('modules: one named twice')
  marks.add(
    isMore(minimum, total) ? 'fee: the least there is' : annual.top === 0n ? 'fee: 0.00' : 'fee: what it adds up to',
  )
  return {
    parts: {
      tiers: ranges.map(({ count, price }) => `${count}x${price}`),
      tier_sum: formatExact(tierSum),
      module_sum: formatExact(moduleSum),
      sum: formatExact(sum),
      uat_share: formatExact(share),
      uat_fee: formatExact(uat),
      total: formatExact(total),
      annual: formatExact(annual),
    },
    annual,
  }
}

const getLaterDay = (a: string, b: string) => (a > b ? a : b)

/**
 * If a contract year begins on this day, returns the first day of the run and the number of years before this day. Otherwise returns the
 * day itself.
 */
function findYearDay(from: string, run: OracleContract['run']): { first: string; elapsedYears: number } {
  for (let yearCount = 0; run && yearsAfter(run.first, yearCount) <= from; yearCount++)
    if (yearsAfter(run.first, yearCount) === from) return { first: run.first, elapsedYears: yearCount }
  return { first: from, elapsedYears: 0 }
}

/**
 * Returns the factor for the time from `from` to `end` (exclusive): full years, or else days / 365, but at most the years that contain them
 * (D9).
 */
function calculateFactor(from: string, end: string, run: OracleContract['run'], marks: CoverageMarks): ExactNumber {
  const { first, elapsedYears } = findYearDay(from, run)
  let years = 1
  while (yearsAfter(first, elapsedYears + years) < end) years++
  if (yearsAfter(first, elapsedYears + years) === end) {
    marks.add('time: whole years')
    if (yearsAfter(from, years) !== end) marks.add('time: whole years up to a 29 February that came back')
    return toExact(years)
  }
  let days = 0
  let hasLeapDay = false
  for (let dayNumber = toDayNumber(from); dayNumber < toDayNumber(end); dayNumber++) {
    days++
    hasLeapDay ||= toDay(dayNumber).endsWith('-02-29')
  }
  marks.add(days === 1 ? 'time: a single day' : days > 366 ? 'time: days of several years' : 'time: days')
  if (days === 366) marks.add('time: 366 days that are no year')
  if (hasLeapDay) marks.add('time: days with a 29 February')
  const dayFactor = divide(toExact(days), 365)
  if (isMore(dayFactor, toExact(years))) marks.add('time: days that count as whole years')
  return getSmaller(dayFactor, toExact(years))
}

const formatAmounts = (contractAmount: ExactNumber, residual: ExactNumber) => ({
  contract_amount: formatExact(contractAmount),
  residual_amount: formatExact(residual),
  amount: formatExact(getLarger(zero, subtract(contractAmount, residual))),
})

function markDay(name: string, day: string, marks: CoverageMarks) {
  if (day.endsWith('-02-29')) marks.add(`${name}: on 29 February`)
  if (addDays(day, 1).endsWith('-01')) marks.add(`${name}: on the last of a month`)
}

/** Buys a number of years from a day on (D8). The end is counted from the first day of the run (D19). */
function buyYears(
  start: string,
  years: number,
  { annual, parts }: OracleYear,
  run: NonNullable<OracleContract['run']>,
): [OracleResult, ExactSegment] {
  const end = monthsAfter(run.first, run.months)
  const period = { period_start: start, period_end: end, shown_expiry: addDays(end, -1) }
  return [
    { ...parts, ...formatAmounts(multiply(annual, toExact(years)), zero), ...period },
    { start, end, annual },
  ]
}

function changeContract(
  contract: OracleContract,
  today: string,
  { annual, parts }: OracleYear,
  marks: CoverageMarks,
): [OracleResult, ExactSegment[]] {
  const remainingSegments = contract.paid
    .filter(({ end }) => end > today)
    .map(({ start, ...rest }) => ({ ...rest, start: getLaterDay(today, start) }))
  const factors = remainingSegments.map(({ start, end }) => calculateFactor(start, end, contract.run, marks))
  const contractAmount = roundAndMark('change', sumExact(factors.map((share) => multiply(annual, share))), marks)
  const paidAmounts = remainingSegments.map((segment, index) => multiply(segment.annual, factors[index] ?? zero))
  const residual = roundAndMark('residual', sumExact(paidAmounts), marks)
  marks.add(`change: of ${remainingSegments.length > 2 ? 'three and more' : remainingSegments.length} paid segments`)
  marks.add(
    isMore(contractAmount, residual)
      ? 'change: something is due'
      : isMore(residual, contractAmount)
        ? 'change: more was paid than it costs'
        : 'change: costs what was paid',
  )
  const [first, last] = [contract.paid[0]?.start ?? '', addDays(contract.end, -1)]
  if (today < first) marks.add('change: before the start')
  if (today === first) marks.add('change: on the first day')
  if (today === last) marks.add('change: on the last day')
  if (today > first && today.slice(5) === first.slice(5)) marks.add('change: on the day a year begins')
  markDay('change', today, marks)
  const period = { period_end: contract.end, shown_expiry: last }
  return [
    { ...parts, ...formatAmounts(contractAmount, residual), ...period },
    remainingSegments.map((segment) => ({ ...segment, annual })),
  ]
}

function extendContract(
  contract: OracleContract,
  today: string,
  years: number,
  year: OracleYear,
  marks: CoverageMarks,
): [OracleResult, OracleContract] {
  marks.add(
    `extend: ${today < contract.end ? 'before the end' : today === contract.end ? 'on the end' : 'after the end'}`,
  )
  const start = getLaterDay(contract.end, today)
  const isGap = start !== contract.end || !contract.run
  const run = isGap
    ? { first: start, months: 12 * years }
    : { ...contract.run!, months: contract.run!.months + 12 * years }
  const [result, paidSegment] = buyYears(start, years, year, run)
  if (yearsAfter(start, years) !== paidSegment.end) marks.add('extend: to a 29 February that comes back')
  return [result, { end: paidSegment.end, paid: [...contract.paid, paidSegment], run }]
}

function calculateContract(contractCase: ContractCase, marks: CoverageMarks): OracleResult[] {
  const lastPaid = contractCase.paid.at(-1)
  let contract: OracleContract | null = lastPaid
    ? {
        end: lastPaid.end,
        paid: contractCase.paid.map(({ annual, ...days }) => ({ ...days, annual: parseExact(annual) })),
        run: null,
      }
    : null
  marks.add(`currency: ${contractCase.currency}`)
  return contractCase.steps.map((step): OracleResult => {
    const today = toBusinessDay(step.time)
    const year = calculateYear(contractCase, step, marks)
    const isOver = step.ask === 'change' && contract !== null && contract.end <= today
    if ('refused' in year || isOver) {
      const reasons = [...('refused' in year ? year.refused : []), ...(isOver ? ['expired'] : [])]
      for (const reason of reasons) marks.add(`refused: ${reason.split(':')[0]}`)
      return { refused: reasons }
    }
    if (!step.isPaid) marks.add('asked, not paid')
    if (step.ask === 'create') {
      const run = { first: step.start, months: 12 * step.years }
      const [result, paidSegment] = buyYears(step.start, step.years, year, run)
      if (step.isPaid) contract = { end: paidSegment.end, paid: [paidSegment], run }
      marks.add(`create: ${step.years > 9 ? 'ten years and more' : step.years > 1 ? 'years' : 'a year'}`)
      markDay('create', step.start, marks)
      return result
    }
    if (!contract) return { refused: ['no contract'] }
    if (step.ask === 'extend') {
      const [result, next] = extendContract(contract, today, step.years, year, marks)
      if (step.isPaid) contract = next
      return result
    }
    const [result, paidSegments] = changeContract(contract, today, year, marks)
    if (step.isPaid) contract = { ...contract, paid: paidSegments }
    return result
  })
}

/** D19, D20, D21. */
function calculateBackup(backupCase: BackupCase, marks: CoverageMarks): OracleResult {
  const start = getLaterDay(toBusinessDay(backupCase.time), backupCase.currentEnd ?? '')
  if (start >= backupCase.contractEnd) {
    marks.add('refused: backup of no contract')
    return { refused: ['nothing left'] }
  }
  const requestedMonths = backupCase.period * (backupCase.unit === 'year' ? 12 : 1)
  const run = backupCase.anchor && start === backupCase.currentEnd ? backupCase.anchor : { date: start, months: 0 }
  const getEnd = (months: number) => monthsAfter(run.date, run.months + months)
  let months = 1
  while (months < requestedMonths && getEnd(months) < backupCase.contractEnd) months++
  const isCut = getEnd(requestedMonths) > backupCase.contractEnd
  if (getEnd(requestedMonths) !== monthsAfter(start, requestedMonths)) marks.add('backup: ends where its run does')
  const amount = roundAndMark('backup', divide(multiply(parseExact(backupCase.fee), toExact(months)), 12), marks)
  const payAmount = roundAndMark('discount', divide(multiply(amount, toExact(100 - backupCase.discount)), 100), marks)
  marks.add(`backup: ${isCut ? 'cut at the end of the contract' : `whole, by ${backupCase.unit}`}`)
  marks.add(`discount: ${[0, 100].includes(backupCase.discount) ? backupCase.discount : 'between'}`)
  markDay('backup', start, marks)
  const end = isCut ? backupCase.contractEnd : getEnd(requestedMonths)
  return { start, end, months, isCut, amount: formatExact(amount), pay_amount: formatExact(payAmount) }
}

/** D22. */
function calculateTraffic(trafficCase: TrafficCase, marks: CoverageMarks): OracleResult {
  const extra = getLarger(zero, subtract(parseExact(trafficCase.measured), toExact(trafficCase.free)))
  marks.add(`traffic: ${extra.top === 0n ? 'free' : 'to be paid'}`)
  return {
    extra: formatExact(extra),
    amount: formatExact(roundAndMark('traffic', multiply(extra, parseExact(trafficCase.price)), marks)),
  }
}

export function runOracle(feeCase: FeeCase): { results: OracleResult[]; marks: CoverageMarks } {
  const marks: CoverageMarks = new Set()
  if (feeCase.kind === 'contract') return { results: calculateContract(feeCase, marks), marks }
  return {
    results: [feeCase.kind === 'backup' ? calculateBackup(feeCase, marks) : calculateTraffic(feeCase, marks)],
    marks,
  }
}

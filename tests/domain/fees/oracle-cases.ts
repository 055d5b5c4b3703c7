/** Draws random cases for the oracle. Many of them are at points where calculations go wrong (limits of ranges, first and last days). */
import type { ContractTerms } from '#domain/fees/annual.ts'
import type { PriceList, UserRange } from '#domain/fees/price-list.ts'
import { drawBetween, type Random, pick } from '#tests/support/runner/random.ts'
import { toBusinessDay, addDays, toInstant, monthsAfter, toDayNumber, yearsAfter } from '#tests/domain/fees/calendar.ts'
import type { BackupCase, FeeCase, ContractCase, OracleStep, TrafficCase } from '#tests/domain/fees/oracle.ts'

const codes = ['core', 'fin', 'scm', 'hr', 'doc', 'pos']
const maxUsers = 999_999

const isOneIn = (random: Random, count: number) => drawBetween(random, 1, count) === 1

/** Returns a random amount with two decimals: small, large, round or zero. */
function drawAmount(random: Random): string {
  const shape = drawBetween(random, 0, 9)
  if (shape === 0) return '0.00'
  if (shape === 1) return `0.${String(drawBetween(random, 1, 99)).padStart(2, '0')}`
  if (shape === 2) return `${drawBetween(random, 1, 9_999_999)}.${drawBetween(random, 10, 99)}`
  if (shape < 6) return `${drawBetween(random, 1, 500)}0.00`
  return `${drawBetween(random, 1, 20_000)}.${drawBetween(random, 0, 9)}${pick(random, [0, 5, 5, drawBetween(random, 0, 9)])}`
}

const drawCharges = (random: Random) => ({ hkd: drawAmount(random), usd: drawAmount(random), rmb: drawAmount(random) })

/**
 * Returns random ranges as a user types them. Some have an end that must be raised, some have rows that are dropped, and some do not cover
 * all users.
 */
function drawRanges(random: Random): UserRange[] {
  const rows: UserRange[] = []
  let to = 0
  for (let remaining = drawBetween(random, 1, 6); remaining > 0; remaining--) {
    const from = to + 1
    to = isOneIn(random, 8) ? from : to + drawBetween(random, 1, pick(random, [3, 20, 100, 5000]))
    if (isOneIn(random, 30)) rows.push({ from: 0, to: 0, ...drawCharges(random) })
    rows.push({ from, to: isOneIn(random, 30) ? drawBetween(random, 1, to) : to, ...drawCharges(random) })
  }
  return isOneIn(random, 6) ? rows : [...rows, { from: to + 1, to: maxUsers, ...drawCharges(random) }]
}

const percents = ['0.00', '0.01', '0.50', '2.50', '7.25', '12.50', '20.00', '33.33', '66.67', '100.00', '999.99']

function drawPriceList(random: Random): PriceList {
  const [caps, minFees] = [drawCharges(random), drawCharges(random)]
  return {
    uat_charge: isOneIn(random, 3)
      ? `${drawBetween(random, 0, 999)}.${drawBetween(random, 10, 99)}`
      : pick(random, percents),
    uat_cap_hkd: caps.hkd,
    uat_cap_usd: caps.usd,
    uat_cap_rmb: caps.rmb,
    min_concurrent_user: drawBetween(random, 0, 10),
    min_named_user: drawBetween(random, 0, 10),
    min_fee_hkd: minFees.hkd,
    min_fee_usd: minFees.usd,
    min_fee_rmb: minFees.rmb,
    concurrentUser: drawRanges(random),
    namedUser: drawRanges(random),
    module: codes.filter(() => !isOneIn(random, 40)).map((code) => ({ code, ...drawCharges(random) })),
  }
}

/** Returns a random list in which all prices are zero, except possibly the minimum fee. */
function drawFreeList(random: Random): PriceList {
  const noCharges = { hkd: '0.00', usd: '0.00', rmb: '0.00' }
  const priceList = drawPriceList(random)
  const noCaps = { uat_cap_hkd: '0.00', uat_cap_usd: '0.00', uat_cap_rmb: '0.00' }
  const minFees = isOneIn(random, 2) ? {} : { min_fee_hkd: '0.00', min_fee_usd: '0.00', min_fee_rmb: '0.00' }
  const removeCharges = <Row extends object>(rows: readonly Row[]) => rows.map((row) => ({ ...row, ...noCharges }))
  const [concurrentUser, namedUser] = [removeCharges(priceList.concurrentUser), removeCharges(priceList.namedUser)]
  return { ...priceList, ...noCaps, ...minFees, concurrentUser, namedUser, module: removeCharges(priceList.module) }
}

function drawUsers(random: Random, rows: readonly UserRange[]): number {
  const last = Math.max(...rows.map(({ to }) => to))
  // Users beyond the last range have no price, and most cases should have one.
  if (isOneIn(random, 40)) return Math.min(maxUsers, last + drawBetween(random, 0, 2))
  if (isOneIn(random, 40)) return drawBetween(random, 0, last)
  if (isOneIn(random, 4)) return drawBetween(random, 0, Math.min(60, last))
  const edges = rows.flatMap(({ from, to }) => [from - 1, from, from + 1, ...(to < maxUsers ? [to] : [])])
  return Math.max(0, Math.min(pick(random, edges), last))
}

function drawTerms(random: Random, list: PriceList): ContractTerms {
  const mode = pick(random, ['CONCURRENT', 'NAMED'] as const)
  const listedCodes = list.module.map(({ code }) => code)
  const selectedCodes = (isOneIn(random, 40) ? codes : listedCodes).filter(() => isOneIn(random, 2))
  return {
    user_mode: mode,
    users: drawUsers(random, mode === 'NAMED' ? list.namedUser : list.concurrentUser),
    modules: isOneIn(random, 20) ? [...selectedCodes.toReversed(), ...selectedCodes] : selectedCodes,
    uat: pick(random, [0, 1] as const),
  }
}

/** Returns terms with other users, modules or UAT, or the same terms. */
function drawChangedTerms(random: Random, { modules, ...rest }: ContractTerms, list: PriceList): ContractTerms {
  const changeKind = drawBetween(random, 0, 5)
  if (changeKind === 0) return { modules, ...rest }
  if (changeKind === 1) return { ...rest, modules, users: rest.users + drawBetween(random, 1, 20) }
  if (changeKind === 2) return { ...rest, modules, users: Math.max(0, rest.users - drawBetween(random, 1, 20)) }
  if (changeKind === 3) return { ...rest, modules: modules.slice(1) }
  if (changeKind === 4) return { ...rest, modules, uat: rest.uat ? 0 : 1 }
  return drawTerms(random, list)
}

const dayMs = 86_400_000
/** Milliseconds after the start of a day: its first and last moments, 08:00 (where the day begins in UTC), and noon. */
const moments = [0, 1, 999, 1000, 28_799_999, 28_800_000, 43_200_000, dayMs - 1000, dayMs - 1]
const drawInstant = (random: Random, day: string) =>
  toInstant(day, isOneIn(random, 2) ? pick(random, moments) : drawBetween(random, 0, dayMs - 1))

const drawYears = (random: Random) =>
  pick(random, [1, 1, 1, 2, 3, 4, 5, drawBetween(random, 1, 12), drawBetween(random, 1, 99)])

/** Returns a random first day. Some are in leap years, and some in 2100, which has no 29 February. */
function drawFirstDay(random: Random): string {
  const year = pick(random, [
    drawBetween(random, 2024, 2045),
    drawBetween(random, 2024, 2045),
    2096,
    drawBetween(random, 2097, 2100),
  ])
  const day = addDays(`${year}-01-01`, drawBetween(random, 0, 364))
  return pick(random, [
    day,
    day,
    `${year}-02-28`,
    `${year}-03-01`,
    addDays(`${year}-03-01`, -1),
    monthsAfter(`${year}-01-31`, drawBetween(random, 0, 11)),
    `${year}-12-31`,
    `${year}-01-01`,
    '2028-02-29',
  ])
}

/** Returns a random day for a step of the contract, not before the day of the previous step. */
function drawStepDay(random: Random, { start, end, since }: { start: string; end: string; since: string }): string {
  const length = Math.max(1, toDayNumber(end) - toDayNumber(start))
  const anniversary = yearsAfter(start, drawBetween(random, 1, 3))
  const day = pick(random, [
    start,
    addDays(start, -drawBetween(random, 1, 30)),
    addDays(start, 1),
    addDays(end, -1),
    addDays(end, -2),
    anniversary,
    addDays(anniversary, pick(random, [-1, 1])),
    yearsAfter(end, -1),
    addDays(
      `${drawBetween(random, Number(start.slice(0, 4)), Number(end.slice(0, 4)))}-03-01`,
      pick(random, [-1, -2, 0]),
    ),
    ...Array.from({ length: 6 }, () => addDays(start, drawBetween(random, 0, length - 1))),
    isOneIn(random, 2) ? end : addDays(end, drawBetween(random, 1, 400)),
  ])
  return day < since ? since : day
}

/** Returns random paid segments, as changes on any day leave them. Some have a gap in which nothing was paid. */
function drawSegments(random: Random, firstStart: string): ContractCase['paid'] {
  let start = firstStart
  return Array.from({ length: drawBetween(random, 1, 4) }, () => {
    const end = isOneIn(random, 3)
      ? addDays(start, drawBetween(random, 1, 1500))
      : yearsAfter(start, drawBetween(random, 1, 4))
    const segment = { start, end, annual: drawAmount(random) }
    start = isOneIn(random, 8) ? addDays(end, drawBetween(random, 1, 90)) : end
    return segment
  })
}

function drawContractCase(random: Random): ContractCase {
  const lists = Array.from({ length: drawBetween(random, 1, 2) }, () =>
    isOneIn(random, 25) ? drawFreeList(random) : drawPriceList(random),
  )
  const drawListIndex = () => drawBetween(random, 0, lists.length - 1)
  const getList = (index: number) => lists[index] as PriceList
  const start = drawFirstDay(random)
  const firstStep = { list: drawListIndex(), isPaid: true, years: drawYears(random) }
  let terms = drawTerms(random, getList(firstStep.list))
  let since = addDays(start, -drawBetween(random, 0, 30))
  const paidSegments = isOneIn(random, 4) ? drawSegments(random, start) : []
  const steps: OracleStep[] = paidSegments.length
    ? []
    : [{ ask: 'create', time: drawInstant(random, since), start, choice: terms, ...firstStep }]
  let end = paidSegments.at(-1)?.end ?? yearsAfter(start, firstStep.years)
  for (let remaining = pick(random, [steps.length ? 0 : 1, 1, 1, 1, 1, 2, 2, 3, 4, 6]); remaining > 0; remaining--) {
    const day = drawStepDay(random, { start, end, since })
    const list = isOneIn(random, 2) ? firstStep.list : drawListIndex()
    const step = { time: drawInstant(random, day), list, isPaid: !isOneIn(random, 8) }
    terms = drawChangedTerms(random, terms, getList(list))
    since = day
    if (isOneIn(random, 3) && Number(end.slice(0, 4)) < 2300) {
      // Extends the contract to a leap year, in which the 29 February of its start exists again.
      const upToLeapYear = 4 - ((Number(end.slice(0, 4)) - Number(start.slice(0, 4))) % 4)
      const years = start.endsWith('-02-29') && isOneIn(random, 2) ? upToLeapYear : drawYears(random)
      steps.push({ ...step, ask: 'extend', choice: terms, years })
      if (step.isPaid) end = yearsAfter(end > day ? end : day, years)
    } else steps.push({ ...step, ask: 'change', choice: terms })
  }
  return {
    kind: 'contract',
    currency: pick(random, ['HKD', 'USD', 'RMB'] as const),
    uatBound: isOneIn(random, 5) ? 'ceiling' : 'floor',
    lists,
    paid: paidSegments,
    steps,
  }
}

function drawBackupCase(random: Random): BackupCase {
  const time = drawInstant(random, drawFirstDay(random))
  const today = toBusinessDay(time)
  const monthsAgo = drawBetween(random, 1, 40)
  const lastOfMonth = monthsAfter(`${today.slice(0, 4)}-01-31`, -monthsAgo)
  const date = isOneIn(random, 4) ? addDays(monthsAfter(today, -monthsAgo), drawBetween(random, 0, 4)) : lastOfMonth
  const anchor = isOneIn(random, 4) ? null : { date, months: monthsAgo + drawBetween(random, 0, 14) }
  const currentEnd = anchor
    ? monthsAfter(anchor.date, anchor.months)
    : isOneIn(random, 2)
      ? null
      : addDays(today, drawBetween(random, -400, 400))
  const start = currentEnd && currentEnd > today ? currentEnd : today
  const unit = pick(random, ['year', 'month'] as const)
  const period = drawBetween(random, 1, pick(random, [1, 3, 12, 99]))
  const requestedEnd = monthsAfter(start, unit === 'year' ? period * 12 : period)
  const contractEnd = pick(random, [
    requestedEnd,
    addDays(requestedEnd, 1),
    addDays(requestedEnd, -1),
    addDays(today, drawBetween(random, 0, pick(random, [1, 400, 1200]))),
    monthsAfter(start, drawBetween(random, 1, 30)),
    yearsAfter(requestedEnd, 2),
  ])
  const discount = pick(random, [0, 100, 1, 99, 50, 7, drawBetween(random, 0, 100), drawBetween(random, 0, 100)])
  return { kind: 'backup', time, currentEnd, anchor, contractEnd, period, unit, fee: drawAmount(random), discount }
}

function drawTrafficCase(random: Random): TrafficCase {
  const free = pick(random, [0, 1, 50, drawBetween(random, 0, 5000)])
  const nearFree = Math.max(0, free * 100 + drawBetween(random, -3, 300))
  const hundredths = isOneIn(random, 2) ? nearFree : drawBetween(random, 0, pick(random, [10_000, 99_999_999]))
  const digits = String(hundredths).padStart(3, '0')
  return { kind: 'traffic', measured: `${digits.slice(0, -2)}.${digits.slice(-2)}`, free, price: drawAmount(random) }
}

export function drawCase(random: Random): FeeCase {
  const kind = drawBetween(random, 1, 10)
  if (kind > 2) return drawContractCase(random)
  return kind === 2 ? drawBackupCase(random) : drawTrafficCase(random)
}

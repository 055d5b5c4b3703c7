/** Cases for the oracle: drawn by chance, and by chance put where reckonings go wrong (edges of ranges, first and last days). */
import type { ContractTerms } from '#domain/fees/annual.ts'
import type { PriceList, UserRange } from '#domain/fees/price-list.ts'
import { between, type Chance, pick } from '#tests/support/runner/chance.ts'
import {
  toBusinessDay,
  daysAfter,
  toInstant,
  monthsAfter,
  toDayNumber,
  yearsAfter,
} from '#tests/domain/fees/calendar.ts'
import type { BackupCase, FeeCase, ContractCase, OracleStep, TrafficCase } from '#tests/domain/fees/oracle.ts'

const codes = ['core', 'fin', 'scm', 'hr', 'doc', 'pos']
const maxUsers = 999_999

const isOneIn = (chance: Chance, count: number) => between(chance, 1, count) === 1

/** So many decimals as amounts have; small, great, round and none at all. */
function drawAmount(chance: Chance): string {
  const shape = between(chance, 0, 9)
  if (shape === 0) return '0.00'
  if (shape === 1) return `0.${String(between(chance, 1, 99)).padStart(2, '0')}`
  if (shape === 2) return `${between(chance, 1, 9_999_999)}.${between(chance, 10, 99)}`
  if (shape < 6) return `${between(chance, 1, 500)}0.00`
  return `${between(chance, 1, 20_000)}.${between(chance, 0, 9)}${pick(chance, [0, 5, 5, between(chance, 0, 9)])}`
}

const drawCharges = (chance: Chance) => ({ hkd: drawAmount(chance), usd: drawAmount(chance), rmb: drawAmount(chance) })

/** As typed: some with a `to` that has to be raised, some rows that are dropped, some that end before all users have a place. */
function drawRanges(chance: Chance): UserRange[] {
  const rows: UserRange[] = []
  let to = 0
  for (let remaining = between(chance, 1, 6); remaining > 0; remaining--) {
    const from = to + 1
    to = isOneIn(chance, 8) ? from : to + between(chance, 1, pick(chance, [3, 20, 100, 5000]))
    if (isOneIn(chance, 30)) rows.push({ from: 0, to: 0, ...drawCharges(chance) })
    rows.push({ from, to: isOneIn(chance, 30) ? between(chance, 1, to) : to, ...drawCharges(chance) })
  }
  return isOneIn(chance, 6) ? rows : [...rows, { from: to + 1, to: maxUsers, ...drawCharges(chance) }]
}

const percents = ['0.00', '0.01', '0.50', '2.50', '7.25', '12.50', '20.00', '33.33', '66.67', '100.00', '999.99']

function drawPriceList(chance: Chance): PriceList {
  const [caps, minFees] = [drawCharges(chance), drawCharges(chance)]
  return {
    uat_charge: isOneIn(chance, 3) ? `${between(chance, 0, 999)}.${between(chance, 10, 99)}` : pick(chance, percents),
    uat_cap_hkd: caps.hkd,
    uat_cap_usd: caps.usd,
    uat_cap_rmb: caps.rmb,
    min_concurrent_user: between(chance, 0, 10),
    min_named_user: between(chance, 0, 10),
    min_fee_hkd: minFees.hkd,
    min_fee_usd: minFees.usd,
    min_fee_rmb: minFees.rmb,
    concurrentUser: drawRanges(chance),
    namedUser: drawRanges(chance),
    module: codes.filter(() => !isOneIn(chance, 40)).map((code) => ({ code, ...drawCharges(chance) })),
  }
}

/** A list in which nothing costs anything, but perhaps the least fee. */
function drawFreeList(chance: Chance): PriceList {
  const noCharges = { hkd: '0.00', usd: '0.00', rmb: '0.00' }
  const priceList = drawPriceList(chance)
  const noCaps = { uat_cap_hkd: '0.00', uat_cap_usd: '0.00', uat_cap_rmb: '0.00' }
  const minFees = isOneIn(chance, 2) ? {} : { min_fee_hkd: '0.00', min_fee_usd: '0.00', min_fee_rmb: '0.00' }
  const removeCharges = <Row extends object>(rows: readonly Row[]) => rows.map((row) => ({ ...row, ...noCharges }))
  const [concurrentUser, namedUser] = [removeCharges(priceList.concurrentUser), removeCharges(priceList.namedUser)]
  return { ...priceList, ...noCaps, ...minFees, concurrentUser, namedUser, module: removeCharges(priceList.module) }
}

function drawUsers(chance: Chance, rows: readonly UserRange[]): number {
  const last = Math.max(...rows.map(({ to }) => to))
  // Beyond the last range nothing has a price, and most cases are to have one.
  if (isOneIn(chance, 40)) return Math.min(maxUsers, last + between(chance, 0, 2))
  if (isOneIn(chance, 40)) return between(chance, 0, last)
  if (isOneIn(chance, 4)) return between(chance, 0, Math.min(60, last))
  const edges = rows.flatMap(({ from, to }) => [from - 1, from, from + 1, ...(to < maxUsers ? [to] : [])])
  return Math.max(0, Math.min(pick(chance, edges), last))
}

function drawTerms(chance: Chance, list: PriceList): ContractTerms {
  const mode = pick(chance, ['CONCURRENT', 'NAMED'] as const)
  const listed = list.module.map(({ code }) => code)
  const selectedCodes = (isOneIn(chance, 40) ? codes : listed).filter(() => isOneIn(chance, 2))
  return {
    user_mode: mode,
    users: drawUsers(chance, mode === 'NAMED' ? list.namedUser : list.concurrentUser),
    modules: isOneIn(chance, 20) ? [...selectedCodes.toReversed(), ...selectedCodes] : selectedCodes,
    uat: pick(chance, [0, 1] as const),
  }
}

/** More or fewer of something, or all as it was. */
function drawChangedTerms(chance: Chance, { modules, ...rest }: ContractTerms, list: PriceList): ContractTerms {
  const changeKind = between(chance, 0, 5)
  if (changeKind === 0) return { modules, ...rest }
  if (changeKind === 1) return { ...rest, modules, users: rest.users + between(chance, 1, 20) }
  if (changeKind === 2) return { ...rest, modules, users: Math.max(0, rest.users - between(chance, 1, 20)) }
  if (changeKind === 3) return { ...rest, modules: modules.slice(1) }
  if (changeKind === 4) return { ...rest, modules, uat: rest.uat ? 0 : 1 }
  return drawTerms(chance, list)
}

const dayMs = 86_400_000
/** The first and the last of a day, and seconds around the noon at which it begins elsewhere. */
const moments = [0, 1, 999, 1000, 28_799_999, 28_800_000, 43_200_000, dayMs - 1000, dayMs - 1]
const drawInstant = (chance: Chance, day: string) =>
  toInstant(day, isOneIn(chance, 2) ? pick(chance, moments) : between(chance, 0, dayMs - 1))

const drawYears = (chance: Chance) =>
  pick(chance, [1, 1, 1, 2, 3, 4, 5, between(chance, 1, 12), between(chance, 1, 99)])

/** Some of them in years whose 29 February comes and in 2100, which has none. */
function drawFirstDay(chance: Chance): string {
  const year = pick(chance, [
    between(chance, 2024, 2045),
    between(chance, 2024, 2045),
    2096,
    between(chance, 2097, 2100),
  ])
  const day = daysAfter(`${year}-01-01`, between(chance, 0, 364))
  return pick(chance, [
    day,
    day,
    `${year}-02-28`,
    `${year}-03-01`,
    daysAfter(`${year}-03-01`, -1),
    monthsAfter(`${year}-01-31`, between(chance, 0, 11)),
    `${year}-12-31`,
    `${year}-01-01`,
    '2028-02-29',
  ])
}

/** A day on which a contract is asked about, not before the last such day. */
function drawStepDay(chance: Chance, { start, end, since }: { start: string; end: string; since: string }): string {
  const length = Math.max(1, toDayNumber(end) - toDayNumber(start))
  const anniversary = yearsAfter(start, between(chance, 1, 3))
  const day = pick(chance, [
    start,
    daysAfter(start, -between(chance, 1, 30)),
    daysAfter(start, 1),
    daysAfter(end, -1),
    daysAfter(end, -2),
    anniversary,
    daysAfter(anniversary, pick(chance, [-1, 1])),
    yearsAfter(end, -1),
    daysAfter(
      `${between(chance, Number(start.slice(0, 4)), Number(end.slice(0, 4)))}-03-01`,
      pick(chance, [-1, -2, 0]),
    ),
    ...Array.from({ length: 6 }, () => daysAfter(start, between(chance, 0, length - 1))),
    isOneIn(chance, 2) ? end : daysAfter(end, between(chance, 1, 400)),
  ])
  return day < since ? since : day
}

/** Paid segments as changes on any day leave them behind, some with a time in between in which nothing was paid. */
function drawSegments(chance: Chance, firstStart: string): ContractCase['paid'] {
  let start = firstStart
  return Array.from({ length: between(chance, 1, 4) }, () => {
    const end = isOneIn(chance, 3)
      ? daysAfter(start, between(chance, 1, 1500))
      : yearsAfter(start, between(chance, 1, 4))
    const segment = { start, end, annual: drawAmount(chance) }
    start = isOneIn(chance, 8) ? daysAfter(end, between(chance, 1, 90)) : end
    return segment
  })
}

function drawContractCase(chance: Chance): ContractCase {
  const lists = Array.from({ length: between(chance, 1, 2) }, () =>
    isOneIn(chance, 25) ? drawFreeList(chance) : drawPriceList(chance),
  )
  const drawListIndex = () => between(chance, 0, lists.length - 1)
  const getList = (at: number) => lists[at] as PriceList
  const start = drawFirstDay(chance)
  const firstStep = { list: drawListIndex(), isPaid: true, years: drawYears(chance) }
  let terms = drawTerms(chance, getList(firstStep.list))
  let since = daysAfter(start, -between(chance, 0, 30))
  const paid = isOneIn(chance, 4) ? drawSegments(chance, start) : []
  const steps: OracleStep[] = paid.length
    ? []
    : [{ ask: 'create', at: drawInstant(chance, since), start, choice: terms, ...firstStep }]
  let end = paid.at(-1)?.end ?? yearsAfter(start, firstStep.years)
  for (let remaining = pick(chance, [steps.length ? 0 : 1, 1, 1, 1, 1, 2, 2, 3, 4, 6]); remaining > 0; remaining--) {
    const day = drawStepDay(chance, { start, end, since })
    const list = isOneIn(chance, 2) ? firstStep.list : drawListIndex()
    const step = { at: drawInstant(chance, day), list, isPaid: !isOneIn(chance, 8) }
    terms = drawChangedTerms(chance, terms, getList(list))
    since = day
    if (isOneIn(chance, 3) && Number(end.slice(0, 4)) < 2300) {
      // Up to a leap year, where the 29 February of the start comes back.
      const upToLeapYear = 4 - ((Number(end.slice(0, 4)) - Number(start.slice(0, 4))) % 4)
      const years = start.endsWith('-02-29') && isOneIn(chance, 2) ? upToLeapYear : drawYears(chance)
      steps.push({ ...step, ask: 'extend', choice: terms, years })
      if (step.isPaid) end = yearsAfter(end > day ? end : day, years)
    } else steps.push({ ...step, ask: 'change', choice: terms })
  }
  return {
    kind: 'contract',
    currency: pick(chance, ['HKD', 'USD', 'RMB'] as const),
    uatBound: isOneIn(chance, 5) ? 'ceiling' : 'floor',
    lists,
    paid,
    steps,
  }
}

function drawBackupCase(chance: Chance): BackupCase {
  const at = drawInstant(chance, drawFirstDay(chance))
  const today = toBusinessDay(at)
  const monthsAgo = between(chance, 1, 40)
  const lastOfMonth = monthsAfter(`${today.slice(0, 4)}-01-31`, -monthsAgo)
  const date = isOneIn(chance, 4) ? daysAfter(monthsAfter(today, -monthsAgo), between(chance, 0, 4)) : lastOfMonth
  const anchor = isOneIn(chance, 4) ? null : { date, months: monthsAgo + between(chance, 0, 14) }
  const currentEnd = anchor
    ? monthsAfter(anchor.date, anchor.months)
    : isOneIn(chance, 2)
      ? null
      : daysAfter(today, between(chance, -400, 400))
  const start = currentEnd && currentEnd > today ? currentEnd : today
  const unit = pick(chance, ['year', 'month'] as const)
  const period = between(chance, 1, pick(chance, [1, 3, 12, 99]))
  const requestedEnd = monthsAfter(start, unit === 'year' ? period * 12 : period)
  const contractEnd = pick(chance, [
    requestedEnd,
    daysAfter(requestedEnd, 1),
    daysAfter(requestedEnd, -1),
    daysAfter(today, between(chance, 0, pick(chance, [1, 400, 1200]))),
    monthsAfter(start, between(chance, 1, 30)),
    yearsAfter(requestedEnd, 2),
  ])
  const discount = pick(chance, [0, 100, 1, 99, 50, 7, between(chance, 0, 100), between(chance, 0, 100)])
  return { kind: 'backup', at, currentEnd, anchor, contractEnd, period, unit, fee: drawAmount(chance), discount }
}

function drawTrafficCase(chance: Chance): TrafficCase {
  const free = pick(chance, [0, 1, 50, between(chance, 0, 5000)])
  const nearFree = Math.max(0, free * 100 + between(chance, -3, 300))
  const hundredths = isOneIn(chance, 2) ? nearFree : between(chance, 0, pick(chance, [10_000, 99_999_999]))
  const digits = String(hundredths).padStart(3, '0')
  return { kind: 'traffic', measured: `${digits.slice(0, -2)}.${digits.slice(-2)}`, free, price: drawAmount(chance) }
}

export function drawCase(chance: Chance): FeeCase {
  const kind = between(chance, 1, 10)
  if (kind > 2) return drawContractCase(chance)
  return kind === 2 ? drawBackupCase(chance) : drawTrafficCase(chance)
}

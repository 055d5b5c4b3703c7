/** Cases for the oracle: drawn by chance, and by chance put where reckonings go wrong (edges of ranges, first and last days). */
import type { Choice } from '#domain/fees/annual.ts'
import type { PriceList, UserRange } from '#domain/fees/price-list.ts'
import { between, type Chance, pick } from '#tests/support/runner/chance.ts'
import { dayOf, daysAfter, instantIn, monthsAfter, placeOf, yearsAfter } from '#tests/domain/fees/calendar.ts'
import type { BackupCase, Case, ContractCase, Step, TrafficCase } from '#tests/domain/fees/oracle.ts'

const codes = ['core', 'fin', 'scm', 'hr', 'doc', 'pos']
const maxUsers = 999_999

const isOneIn = (chance: Chance, count: number) => between(chance, 1, count) === 1

/** So many decimals as amounts have; small, great, round and none at all. */
function amount(chance: Chance): string {
  const shape = between(chance, 0, 9)
  if (shape === 0) return '0.00'
  if (shape === 1) return `0.${String(between(chance, 1, 99)).padStart(2, '0')}`
  if (shape === 2) return `${between(chance, 1, 9_999_999)}.${between(chance, 10, 99)}`
  if (shape < 6) return `${between(chance, 1, 500)}0.00`
  return `${between(chance, 1, 20_000)}.${between(chance, 0, 9)}${pick(chance, [0, 5, 5, between(chance, 0, 9)])}`
}

const charges = (chance: Chance) => ({ hkd: amount(chance), usd: amount(chance), rmb: amount(chance) })

/** As typed: some with a `to` that has to be raised, some rows that are dropped, some that end before all users have a place. */
function ranges(chance: Chance): UserRange[] {
  const rows: UserRange[] = []
  let to = 0
  for (let left = between(chance, 1, 6); left > 0; left--) {
    const from = to + 1
    to = isOneIn(chance, 8) ? from : to + between(chance, 1, pick(chance, [3, 20, 100, 5000]))
    if (isOneIn(chance, 30)) rows.push({ from: 0, to: 0, ...charges(chance) })
    rows.push({ from, to: isOneIn(chance, 30) ? between(chance, 1, to) : to, ...charges(chance) })
  }
  return isOneIn(chance, 6) ? rows : [...rows, { from: to + 1, to: maxUsers, ...charges(chance) }]
}

const percents = ['0.00', '0.01', '0.50', '2.50', '7.25', '12.50', '20.00', '33.33', '66.67', '100.00', '999.99']

function priceList(chance: Chance): PriceList {
  const [cap, least] = [charges(chance), charges(chance)]
  return {
    uat_charge: isOneIn(chance, 3) ? `${between(chance, 0, 999)}.${between(chance, 10, 99)}` : pick(chance, percents),
    uat_cap_hkd: cap.hkd,
    uat_cap_usd: cap.usd,
    uat_cap_rmb: cap.rmb,
    min_concurrent_user: between(chance, 0, 10),
    min_named_user: between(chance, 0, 10),
    min_fee_hkd: least.hkd,
    min_fee_usd: least.usd,
    min_fee_rmb: least.rmb,
    concurrentUser: ranges(chance),
    namedUser: ranges(chance),
    module: codes.filter(() => !isOneIn(chance, 40)).map((code) => ({ code, ...charges(chance) })),
  }
}

/** A list in which nothing costs anything, but perhaps the least fee. */
function freeList(chance: Chance): PriceList {
  const none = { hkd: '0.00', usd: '0.00', rmb: '0.00' }
  const given = priceList(chance)
  const free = { uat_cap_hkd: '0.00', uat_cap_usd: '0.00', uat_cap_rmb: '0.00' }
  const least = isOneIn(chance, 2) ? {} : { min_fee_hkd: '0.00', min_fee_usd: '0.00', min_fee_rmb: '0.00' }
  const rows = <Row extends object>(all: readonly Row[]) => all.map((row) => ({ ...row, ...none }))
  const [concurrentUser, namedUser] = [rows(given.concurrentUser), rows(given.namedUser)]
  return { ...given, ...free, ...least, concurrentUser, namedUser, module: rows(given.module) }
}

function usersOf(chance: Chance, rows: readonly UserRange[]): number {
  const last = Math.max(...rows.map(({ to }) => to))
  // Beyond the last range nothing has a price, and most cases are to have one.
  if (isOneIn(chance, 40)) return Math.min(maxUsers, last + between(chance, 0, 2))
  if (isOneIn(chance, 40)) return between(chance, 0, last)
  if (isOneIn(chance, 4)) return between(chance, 0, Math.min(60, last))
  const edges = rows.flatMap(({ from, to }) => [from - 1, from, from + 1, ...(to < maxUsers ? [to] : [])])
  return Math.max(0, Math.min(pick(chance, edges), last))
}

function choiceOf(chance: Chance, list: PriceList): Choice {
  const mode = pick(chance, ['CONCURRENT', 'NAMED'] as const)
  const listed = list.module.map(({ code }) => code)
  const chosen = (isOneIn(chance, 40) ? codes : listed).filter(() => isOneIn(chance, 2))
  return {
    user_mode: mode,
    users: usersOf(chance, mode === 'NAMED' ? list.namedUser : list.concurrentUser),
    modules: isOneIn(chance, 20) ? [...chosen.toReversed(), ...chosen] : chosen,
    uat: pick(chance, [0, 1] as const),
  }
}

/** More or fewer of something, or all as it was. */
function otherChoice(chance: Chance, { modules, ...rest }: Choice, list: PriceList): Choice {
  const way = between(chance, 0, 5)
  if (way === 0) return { modules, ...rest }
  if (way === 1) return { ...rest, modules, users: rest.users + between(chance, 1, 20) }
  if (way === 2) return { ...rest, modules, users: Math.max(0, rest.users - between(chance, 1, 20)) }
  if (way === 3) return { ...rest, modules: modules.slice(1) }
  if (way === 4) return { ...rest, modules, uat: rest.uat ? 0 : 1 }
  return choiceOf(chance, list)
}

const dayMs = 86_400_000
/** The first and the last of a day, and seconds around the noon at which it begins elsewhere. */
const moments = [0, 1, 999, 1000, 28_799_999, 28_800_000, 43_200_000, dayMs - 1000, dayMs - 1]
const instantOn = (chance: Chance, day: string) =>
  instantIn(day, isOneIn(chance, 2) ? pick(chance, moments) : between(chance, 0, dayMs - 1))

const yearsOf = (chance: Chance) => pick(chance, [1, 1, 1, 2, 3, 4, 5, between(chance, 1, 12), between(chance, 1, 99)])

/** Some of them in years whose 29 February comes and in 2100, which has none. */
function firstDay(chance: Chance): string {
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
function dayOfStep(chance: Chance, { start, end, since }: { start: string; end: string; since: string }): string {
  const length = Math.max(1, placeOf(end) - placeOf(start))
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
function segmentsFrom(chance: Chance, first: string): ContractCase['paid'] {
  let start = first
  return Array.from({ length: between(chance, 1, 4) }, () => {
    const end = isOneIn(chance, 3)
      ? daysAfter(start, between(chance, 1, 1500))
      : yearsAfter(start, between(chance, 1, 4))
    const segment = { start, end, annual: amount(chance) }
    start = isOneIn(chance, 8) ? daysAfter(end, between(chance, 1, 90)) : end
    return segment
  })
}

function contractCase(chance: Chance): ContractCase {
  const lists = Array.from({ length: between(chance, 1, 2) }, () =>
    isOneIn(chance, 25) ? freeList(chance) : priceList(chance),
  )
  const listed = () => between(chance, 0, lists.length - 1)
  const listAt = (at: number) => lists[at] as PriceList
  const start = firstDay(chance)
  const first = { list: listed(), isPaid: true, years: yearsOf(chance) }
  let choice = choiceOf(chance, listAt(first.list))
  let since = daysAfter(start, -between(chance, 0, 30))
  const paid = isOneIn(chance, 4) ? segmentsFrom(chance, start) : []
  const steps: Step[] = paid.length ? [] : [{ ask: 'create', at: instantOn(chance, since), start, choice, ...first }]
  let end = paid.at(-1)?.end ?? yearsAfter(start, first.years)
  for (let left = pick(chance, [steps.length ? 0 : 1, 1, 1, 1, 1, 2, 2, 3, 4, 6]); left > 0; left--) {
    const day = dayOfStep(chance, { start, end, since })
    const list = isOneIn(chance, 2) ? first.list : listed()
    const step = { at: instantOn(chance, day), list, isPaid: !isOneIn(chance, 8) }
    choice = otherChoice(chance, choice, listAt(list))
    since = day
    if (isOneIn(chance, 3) && Number(end.slice(0, 4)) < 2300) {
      // Up to a leap year, where the 29 February of the start comes back.
      const upToLeapYear = 4 - ((Number(end.slice(0, 4)) - Number(start.slice(0, 4))) % 4)
      const years = start.endsWith('-02-29') && isOneIn(chance, 2) ? upToLeapYear : yearsOf(chance)
      steps.push({ ...step, ask: 'extend', choice, years })
      if (step.isPaid) end = yearsAfter(end > day ? end : day, years)
    } else steps.push({ ...step, ask: 'change', choice })
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

function backupCase(chance: Chance): BackupCase {
  const at = instantOn(chance, firstDay(chance))
  const today = dayOf(at)
  const ago = between(chance, 1, 40)
  const lastOfMonth = monthsAfter(`${today.slice(0, 4)}-01-31`, -ago)
  const date = isOneIn(chance, 4) ? daysAfter(monthsAfter(today, -ago), between(chance, 0, 4)) : lastOfMonth
  const anchor = isOneIn(chance, 4) ? null : { date, months: ago + between(chance, 0, 14) }
  const present = anchor
    ? monthsAfter(anchor.date, anchor.months)
    : isOneIn(chance, 2)
      ? null
      : daysAfter(today, between(chance, -400, 400))
  const start = present && present > today ? present : today
  const unit = pick(chance, ['year', 'month'] as const)
  const period = between(chance, 1, pick(chance, [1, 3, 12, 99]))
  const wished = monthsAfter(start, unit === 'year' ? period * 12 : period)
  const contractEnd = pick(chance, [
    wished,
    daysAfter(wished, 1),
    daysAfter(wished, -1),
    daysAfter(today, between(chance, 0, pick(chance, [1, 400, 1200]))),
    monthsAfter(start, between(chance, 1, 30)),
    yearsAfter(wished, 2),
  ])
  const discount = pick(chance, [0, 100, 1, 99, 50, 7, between(chance, 0, 100), between(chance, 0, 100)])
  return { kind: 'backup', at, present, anchor, contractEnd, period, unit, fee: amount(chance), discount }
}

function trafficCase(chance: Chance): TrafficCase {
  const free = pick(chance, [0, 1, 50, between(chance, 0, 5000)])
  const near = Math.max(0, free * 100 + between(chance, -3, 300))
  const hundredths = isOneIn(chance, 2) ? near : between(chance, 0, pick(chance, [10_000, 99_999_999]))
  const digits = String(hundredths).padStart(3, '0')
  return { kind: 'traffic', measured: `${digits.slice(0, -2)}.${digits.slice(-2)}`, free, price: amount(chance) }
}

export function drawCase(chance: Chance): Case {
  const kind = between(chance, 1, 10)
  if (kind > 2) return contractCase(chance)
  return kind === 2 ? backupCase(chance) : trafficCase(chance)
}

/**
 * What a price list would do to contracts, each at its renewal: the fee of a year that it was sold at, against what the list
 * would ask for the same (contracts 9, D16). Contracts are added one after the other, and none of them is remembered whole, so
 * that ten thousand take no more room than ten.
 */
import { annualFee, type Choice, type UatBound } from '#domain/fees/annual.ts'
import { type PriceList, pricesOf } from '#domain/fees/price-list.ts'
import { currencies, type Currency, type Hundredths, readAmount, writeAmount } from '#domain/money.ts'

export interface Rehearsed extends Choice {
  id: number
  currency: Currency
  /** The fee of a year of its last paid stretch, as it was frozen (D11). */
  now: Hundredths
}

export type Renewal =
  | { kind: 'priced'; then: Hundredths }
  /** It could not be renewed as it is (D3, D16). `missing`: codes of the modules that are not on the list. */
  | { kind: 'failing'; why: 'usersOutOfRange' | 'modulesNotListed'; missing: string[] }

/** What a year of the same would cost by that list. */
export function renewalOf(list: PriceList, contract: Rehearsed, reading: UatBound): Renewal {
  const found = annualFee(pricesOf(list, contract.currency), contract, reading)
  if (found.kind === 'priced') return { kind: 'priced', then: found.annual.fee }
  return found.kind === 'USERS_OUT_OF_RANGE'
    ? { kind: 'failing', why: 'usersOutOfRange', missing: [] }
    : { kind: 'failing', why: 'modulesNotListed', missing: found.modules }
}

/** Percents at which one step of the histogram ends and the next one begins. */
const limits = [-50, -20, -10, -5, -1, 0, 1, 5, 10, 20, 50] as const

/**
 * A step holds the changes that are at least `from` percent and less than `to`; null: without an end. Two are apart: 0 to 0
 * holds what costs the same, and 0 to 1 what costs more, if by less than one percent.
 */
export const histogramSteps: readonly { from: number | null; to: number | null }[] = [
  { from: null, to: limits[0] },
  ...limits.slice(0, 5).map((from, at) => ({ from, to: limits[at + 1] as number })),
  { from: 0, to: 0 },
  ...limits.slice(5).map((from, at) => ({ from, to: limits[at + 6] ?? null })),
]
const sameStep = 6

/** The place of a change in `histogramSteps`. From nothing to something is more than any percent. */
export function histogramStep(now: Hundredths, then: Hundredths): number {
  if (then === now) return sameStep
  const passed = limits.filter((limit) => (then - now) * 100n >= BigInt(limit) * now).length
  // Whatever rises has passed the step of what stays the same as well.
  return then > now ? passed + 1 : passed
}

export interface Change {
  id: number
  /** Amounts as they go over the wire. */
  now: string
  then: string
}

export interface CurrencyFigures {
  currency: Currency
  contracts: number
  now: string
  then: string
  more: number
  less: number
  same: number
  /** By step of `histogramSteps`. */
  histogram: number[]
}

/** How far a rehearsal is: plain data, so that it can be written down and gone on with. */
export interface Rehearsal {
  contracts: number
  currencies: CurrencyFigures[]
  /** Those that change most in percent, up or down; of equal ones the lowest id first. */
  largest: Change[]
  failing: number
  /** Ids of the first of them. */
  failures: number[]
}

export const rehearsalLimits = { largest: 20, failures: 200 } as const

export const emptyRehearsal = (): Rehearsal => ({
  contracts: 0,
  currencies: currencies.map((currency) => ({
    currency,
    contracts: 0,
    now: writeAmount(0n),
    then: writeAmount(0n),
    more: 0,
    less: 0,
    same: 0,
    histogram: histogramSteps.map(() => 0),
  })),
  largest: [],
  failing: 0,
  failures: [],
})

/** Adds a contract to the figures, in place. Contracts come in the order of their ids. */
export function rehearse(figures: Rehearsal, list: PriceList, contract: Rehearsed, reading: UatBound): void {
  const { id, now } = contract
  const renewal = renewalOf(list, contract, reading)
  figures.contracts += 1
  if (renewal.kind === 'failing') {
    figures.failing += 1
    if (figures.failures.length < rehearsalLimits.failures) figures.failures.push(id)
    return
  }
  const { then } = renewal
  const own = figures.currencies.find(({ currency }) => currency === contract.currency)
  if (!own) throw new Error(`there are no figures of ${contract.currency}`)
  own.contracts += 1
  own.now = writeAmount(readAmount(own.now) + now)
  own.then = writeAmount(readAmount(own.then) + then)
  own[then > now ? 'more' : then < now ? 'less' : 'same'] += 1
  const step = histogramStep(now, then)
  own.histogram[step] = (own.histogram[step] ?? 0) + 1
  if (then !== now) keepLargest(figures.largest, { id, now: writeAmount(now), then: writeAmount(then) })
}

function keepLargest(largest: Change[], change: Change): void {
  const place = largest.findIndex((other) => isLarger(change, other))
  largest.splice(place < 0 ? largest.length : place, 0, change)
  largest.splice(rehearsalLimits.largest)
}

/** Compared as fractions: percents are never rounded. */
function isLarger(one: Change, other: Change): boolean {
  const [a, b] = [one, other].map(({ now, then }) => ({
    now: readAmount(now),
    by: size(readAmount(then) - readAmount(now)),
  }))
  if (!a || !b) return false
  const [left, right] = [a.by * b.now, b.by * a.now]
  if (left !== right) return left > right
  // Both began at nothing: any id is as good as another one.
  return one.id < other.id
}

const size = (amount: Hundredths): Hundredths => (amount < 0n ? -amount : amount)

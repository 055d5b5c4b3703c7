/**
 * What a price list would do to contracts, each at its renewal: the fee of a year that it was sold at, against what the list
 * would ask for the same (contracts 9, D16). Contracts are added one after the other, and none of them is remembered whole, so
 * that ten thousand take no more room than ten.
 */
import { quoteAnnualFee, type ContractTerms, type UatBound } from '#domain/fees/annual.ts'
import { type PriceList, getCurrencyPrices } from '#domain/fees/price-list.ts'
import { currencies, type Currency, type Hundredths, readAmount, writeAmount } from '#domain/money.ts'

export interface RehearsedContract extends ContractTerms {
  id: number
  currency: Currency
  /** The fee of a year of its last paid stretch, as it was frozen (D11). */
  currentFee: Hundredths
}

export type ContractRenewal =
  | { kind: 'priced'; newFee: Hundredths }
  /** It could not be renewed as it is (D3, D16). `missing`: codes of the modules that are not on the list. */
  | { kind: 'failing'; reason: 'usersOutOfRange' | 'modulesNotListed'; missing: string[] }

/** What a year of the same would cost by that list. */
export function quoteRenewal(list: PriceList, contract: RehearsedContract, uatBound: UatBound): ContractRenewal {
  const feeResult = quoteAnnualFee(getCurrencyPrices(list, contract.currency), contract, uatBound)
  if (feeResult.kind === 'priced') return { kind: 'priced', newFee: feeResult.annualFee.fee }
  return feeResult.kind === 'USERS_OUT_OF_RANGE'
    ? { kind: 'failing', reason: 'usersOutOfRange', missing: [] }
    : { kind: 'failing', reason: 'modulesNotListed', missing: feeResult.modules }
}

/** Percents at which one step of the histogram ends and the next one begins. */
const percentLimits = [-50, -20, -10, -5, -1, 0, 1, 5, 10, 20, 50] as const

/**
 * A step holds the changes that are at least `from` percent and less than `to`; null: without an end. Two are apart: 0 to 0
 * holds what costs the same, and 0 to 1 what costs more, if by less than one percent.
 */
export const histogramSteps: readonly { from: number | null; to: number | null }[] = [
  { from: null, to: percentLimits[0] },
  ...percentLimits.slice(0, 5).map((from, index) => ({ from, to: percentLimits[index + 1] as number })),
  { from: 0, to: 0 },
  ...percentLimits.slice(5).map((from, index) => ({ from, to: percentLimits[index + 6] ?? null })),
]
const sameStep = 6

/** The place of a change in `histogramSteps`. From nothing to something is more than any percent. */
export function findHistogramStep(currentFee: Hundredths, newFee: Hundredths): number {
  if (newFee === currentFee) return sameStep
  const passedLimitCount = percentLimits.filter(
    (limit) => (newFee - currentFee) * 100n >= BigInt(limit) * currentFee,
  ).length
  // Whatever rises has passed the step of what stays the same as well.
  return newFee > currentFee ? passedLimitCount + 1 : passedLimitCount
}

export interface FeeChange {
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
export interface RehearsalFigures {
  contracts: number
  currencies: CurrencyFigures[]
  /** Those that change most in percent, up or down; of equal ones the lowest id first. */
  largest: FeeChange[]
  failing: number
  /** Ids of the first of them. */
  failures: number[]
}

export const rehearsalLimits = { largest: 20, failures: 200 } as const

export const createEmptyRehearsal = (): RehearsalFigures => ({
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
export function addToRehearsal(
  figures: RehearsalFigures,
  list: PriceList,
  contract: RehearsedContract,
  uatBound: UatBound,
): void {
  const { id, currentFee } = contract
  const renewal = quoteRenewal(list, contract, uatBound)
  figures.contracts += 1
  if (renewal.kind === 'failing') {
    figures.failing += 1
    if (figures.failures.length < rehearsalLimits.failures) figures.failures.push(id)
    return
  }
  const { newFee } = renewal
  const currencyFigures = figures.currencies.find(({ currency }) => currency === contract.currency)
  if (!currencyFigures) throw new Error(`there are no figures of ${contract.currency}`)
  currencyFigures.contracts += 1
  currencyFigures.now = writeAmount(readAmount(currencyFigures.now) + currentFee)
  currencyFigures.then = writeAmount(readAmount(currencyFigures.then) + newFee)
  currencyFigures[newFee > currentFee ? 'more' : newFee < currentFee ? 'less' : 'same'] += 1
  const step = findHistogramStep(currentFee, newFee)
  currencyFigures.histogram[step] = (currencyFigures.histogram[step] ?? 0) + 1
  if (newFee !== currentFee)
    insertIfLargest(figures.largest, { id, now: writeAmount(currentFee), then: writeAmount(newFee) })
}

function insertIfLargest(largest: FeeChange[], change: FeeChange): void {
  const position = largest.findIndex((otherChange) => isLarger(change, otherChange))
  largest.splice(position < 0 ? largest.length : position, 0, change)
  largest.splice(rehearsalLimits.largest)
}

/** Compared as fractions: percents are never rounded. */
function isLarger(change: FeeChange, otherChange: FeeChange): boolean {
  const [a, b] = [change, otherChange].map(({ now, then }) => ({
    now: readAmount(now),
    difference: toAbsolute(readAmount(then) - readAmount(now)),
  }))
  if (!a || !b) return false
  const [productA, productB] = [a.difference * b.now, b.difference * a.now]
  if (productA !== productB) return productA > productB
  // Both began at nothing: any id is as good as another one.
  return change.id < otherChange.id
}

const toAbsolute = (amount: Hundredths): Hundredths => (amount < 0n ? -amount : amount)
